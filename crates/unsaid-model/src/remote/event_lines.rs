//! `text/event-stream`: from bytes, cut anywhere, to the data of its events.
//!
//! An event that was not ended by an empty line does not exist. Names and ids of events are not
//! read: all three providers repeat in the data what matters.

/// What came is no event stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotEvents;

/// The lines so far.
#[derive(Debug, Default)]
pub(crate) struct EventLines {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_cr: bool,
    has_begun: bool,
    has_events: bool,
}

impl EventLines {
    /// Takes more bytes and hands out the data of every event that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, NotEvents> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while let Some((&first, after)) = rest.split_first() {
            let ends_crlf = self.after_cr && first == b'\n';
            self.after_cr = first == b'\r';
            rest = match first {
                b'\n' if ends_crlf => after,
                b'\n' | b'\r' => {
                    events.extend(self.end_line()?);
                    after
                }
                _ => {
                    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    let (more, after) = rest.split_at(end.unwrap_or(rest.len()));
                    self.line.extend_from_slice(more);
                    after
                }
            };
        }
        Ok(events)
    }

    /// Whether there was any.
    pub(crate) fn has_events(&self) -> bool {
        self.has_events
    }

    fn end_line(&mut self) -> Result<Option<String>, NotEvents> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = self.data.take().map(String::from_utf8);
            self.has_events |= data.is_some();
            return data.transpose().map_err(|_not_utf8| NotEvents);
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        match name {
            b"data" => self.add(value.get(1..).unwrap_or_default()),
            b"" | b"event" | b"id" | b"retry" => {}
            // Unknown fields are to be ignored; but an error page has nothing else.
            _ if self.has_begun => {}
            _ => return Err(NotEvents),
        }
        self.has_begun = true;
        Ok(None)
    }

    fn add(&mut self, value: &[u8]) {
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ": hello\r\n\r\nevent: x\ndata: {\"a\":\ndata:  1}\n\nid: 7\rdata\r\r\
                        retry: 5\nstrange: 1\ndata:é日\r\n\r\n\ndata: unfinished\n";

    #[test]
    fn every_way_to_cut_the_bytes_gives_the_same_events() {
        let whole = EventLines::default().feed(TEXT.as_bytes()).unwrap();
        assert_eq!(whole, ["{\"a\":\n 1}", "", "é日"]);
        for size in 1..TEXT.len() {
            let mut lines = EventLines::default();
            let pieces = TEXT.as_bytes().chunks(size);
            let events: Vec<String> = pieces.flat_map(|piece| lines.feed(piece).unwrap()).collect();
            assert_eq!(events, whole, "pieces of {size}");
        }
    }

    #[test]
    fn what_does_not_begin_like_events_is_refused() {
        for text in ["upstream connect error\n", "{\"a\":1}\n", "data: \u{fffd}\n\n"] {
            let bytes = text.replace('\u{fffd}', "X").into_bytes();
            let bytes: Vec<u8> =
                bytes.iter().map(|byte| if *byte == b'X' { 0xff } else { *byte }).collect();
            assert_eq!(EventLines::default().feed(&bytes), Err(NotEvents), "{text}");
        }
    }
}
