//! From the bytes of a response to the events of an answer.

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use unsaid_core::port::model::{ModelError, ModelEvent};

use super::Decoder;
use super::answer::Answer;
use super::event_lines::EventLines;
use super::pace::Pace;

/// Far above any answer; a server that never stops ends here.
const RESPONSE_BYTES_MAX: usize = 16 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What kind of body this is, told by how it begins.
enum Form {
    /// Nothing but blanks so far, and perhaps a byte order mark.
    Unknown(Vec<u8>),
    /// A stream of events.
    Events(EventLines),
    /// One JSON document, from a server that does not stream.
    Document(Vec<u8>),
}

/// An answer that is being read.
pub(super) struct Reading {
    response: Response,
    form: Form,
    bytes_read: usize,
    decoder: Box<dyn Decoder>,
    answer: Answer,
    pace: Pace,
    /// What comes after the events that are ready; none: more bytes.
    outcome: Option<Result<(), ModelError>>,
}

impl Reading {
    pub(super) fn new(
        response: Response,
        decoder: Box<dyn Decoder>,
        answer: Answer,
        pace: Pace,
    ) -> Result<Self, ModelError> {
        let kind = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes().to_vec());
        if kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with(b"text/html")) {
            return Err(ModelError::Garbled);
        }
        let form = Form::Unknown(Vec::new());
        Ok(Self { response, form, bytes_read: 0, decoder, answer, pace, outcome: None })
    }

    /// The next event, and the rest.
    pub(super) async fn next(mut self) -> Result<Option<(ModelEvent, Self)>, ModelError> {
        loop {
            if let Some(event) = self.answer.take_ready() {
                return Ok(Some((event, self)));
            }
            match self.outcome.take() {
                Some(Ok(())) => return Ok(None),
                Some(Err(error)) => return Err(error),
                None => self.read().await,
            }
        }
    }

    async fn read(&mut self) {
        let taken = match self.pace.wait(self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => self.take(&bytes),
            // A broken connection and a closed one are the same: what counts is what was said.
            Ok(Ok(None) | Err(_)) => self.stopped(ModelError::Cut),
            Err(late) => self.stopped(late),
        };
        if let Err(error) = taken {
            self.outcome = Some(Err(error));
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        self.bytes_read += bytes.len();
        if self.bytes_read > RESPONSE_BYTES_MAX {
            return Err(ModelError::Garbled);
        }
        match &mut self.form {
            Form::Unknown(before) => {
                before.extend_from_slice(bytes);
                self.recognise_form()
            }
            Form::Events(lines) => {
                let events = lines.feed(bytes).map_err(|_error| ModelError::Garbled)?;
                self.decode(&events)
            }
            Form::Document(document) => {
                document.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn recognise_form(&mut self) -> Result<(), ModelError> {
        let Form::Unknown(bytes) = &mut self.form else { return Ok(()) };
        if bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes) {
            return Ok(());
        }
        let bytes = std::mem::take(bytes);
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes).trim_ascii_start();
        self.form = match bytes.first() {
            None => Form::Unknown(Vec::new()),
            Some(b'<') => return Err(ModelError::Garbled),
            Some(b'{' | b'[') => Form::Document(bytes.to_vec()),
            Some(_) => {
                let mut lines = EventLines::default();
                let events = lines.feed(bytes).map_err(|_error| ModelError::Garbled)?;
                self.form = Form::Events(lines);
                return self.decode(&events);
            }
        };
        Ok(())
    }

    fn decode(&mut self, events: &[String]) -> Result<(), ModelError> {
        for event in events {
            let was_finished = self.answer.is_finished();
            let decoded = self.decoder.event(event, &mut self.answer);
            if self.answer.is_marked() || (was_finished && decoded.is_err()) {
                return self.whole();
            }
            decoded?;
            if !was_finished && self.answer.is_finished() {
                self.pace.hurry();
            }
        }
        Ok(())
    }

    /// No more bytes will come. `why` if this is not the end of the answer.
    fn stopped(&mut self, why: ModelError) -> Result<(), ModelError> {
        match &mut self.form {
            Form::Events(_) if self.answer.is_finished() => self.whole(),
            Form::Events(lines) if lines.has_events() && !self.answer.is_recognised() => {
                Err(ModelError::Garbled)
            }
            Form::Unknown(_) | Form::Events(_) => Err(why),
            Form::Document(bytes) => {
                let bytes = std::mem::take(bytes);
                self.document(&bytes, why)
            }
        }
    }

    fn document(&mut self, bytes: &[u8], why: ModelError) -> Result<(), ModelError> {
        let document = match serde_json::from_slice(bytes) {
            Ok(document) => document,
            Err(error) if error.is_eof() => return Err(why),
            Err(_) => return Err(ModelError::Garbled),
        };
        self.decoder.document(&document, &mut self.answer)?;
        match (self.answer.is_finished(), self.answer.is_recognised()) {
            (true, _) => self.whole(),
            (false, true) => Err(why),
            (false, false) => Err(ModelError::Garbled),
        }
    }

    fn whole(&mut self) -> Result<(), ModelError> {
        self.answer.end(self.decoder.echo())?;
        self.outcome = Some(Ok(()));
        Ok(())
    }
}
