//! Answering in plain text: streamed as it comes, committed once, whole.

use unsaid_core::{
    domain::{
        conversation::change::{Change, Decision, Refusal},
        message::Part,
        text::Words,
    },
    port::model::{ModelRequest, ToolChoice},
};

use super::{
    Cast, Ended, Failure, Stopped, hold::Hold, message, reading::Reading, speech::Listener, step,
};

/// Speaks, and keeps what was said if it is whole.
pub(super) async fn run(
    cast: &Cast,
    hold: &Hold<'_>,
    listener: &dyn Listener,
    reading: Reading,
) -> Result<Ended, Stopped> {
    let Reading { system, turns, question } = reading;
    let mut answer = message(cast, hold.pen.desk, Words::lossy(""), question.map(|asked| asked.id));
    listener.begins(&answer.id);
    let request = ModelRequest { system, turns, tools: Vec::new(), choice: ToolChoice::Free };
    let asked = step::ask(&*cast.model, request, |words| listener.more(words));
    let step = hold.unless_over(asked).await??;
    if !step.calls.is_empty() {
        return Err(Failure::MODEL_GARBLED.into());
    }
    if step.text.trim().is_empty() {
        return Err(Failure::MODEL_EMPTY.into());
    }
    answer.parts = vec![Part::text(Words::lossy(step.text))];
    let id = answer.id.clone();
    let fence = hold.fence();
    let change = Change::Answer { fence, messages: vec![answer], last: true };
    match hold.pen.append(change, &id).await {
        Ok(Ok(())) => Ok(Ended::Answered { id, known: true }),
        Ok(Err(Refusal::NoConsent)) => {
            // It was said, and nobody wants it kept.
            let end = Change::Decide { fence, decision: Decision::Answered };
            Ok(Ended::NotKept.if_written(hold.pen.end(end).await))
        }
        Ok(Err(Refusal::StaleFence)) => Err(Stopped::Lost),
        Ok(Err(refusal)) => {
            tracing::error!(conversation = %hold.pen.key, turn = fence.get(), %refusal, "out of contract");
            Err(Failure::STORAGE_WRITE.into())
        }
        Err(error) => {
            let (key, error) = (hold.pen.key, error.name());
            tracing::warn!(conversation = %key, turn = fence.get(), error, "storage_write");
            Err(Failure::STORAGE_WRITE.into())
        }
    }
}
