//! Asking again: when, how long, and when not.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use tokio::time::Instant;
use unsaid_core::port::model::{
    EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, Usage,
};
use unsaid_model::retrying::Retrying;
use unsaid_testkit::clock::SeededChance;

use crate::talk::{Answered, ask, question, show, words};

/// Gives these answers, one after another, and notes when it was asked.
#[derive(Clone)]
struct Scripted {
    answers: Arc<Mutex<Vec<Answered>>>,
    asked: Arc<Mutex<Vec<Instant>>>,
}

#[async_trait]
impl Model for Scripted {
    async fn ask(&self, _request: ModelRequest) -> Result<ModelStream, ModelError> {
        self.asked.lock().unwrap().push(Instant::now());
        let answer = self.answers.lock().unwrap().remove(0);
        match answer.as_slice() {
            [Err(error)] => Err(error.clone()),
            _ => Ok(Box::pin(stream::iter(answer))),
        }
    }

    fn takes_images(&self) -> bool {
        true
    }
}

fn end() -> ModelEvent {
    ModelEvent::End { reason: EndReason::Done, usage: Usage::default(), echo: None }
}

fn text(said: &str) -> ModelEvent {
    ModelEvent::Text(words(said))
}

/// What came, and how many milliseconds after the beginning each try was made.
async fn tried(within: Duration, answers: Vec<Answered>) -> (String, Vec<u128>) {
    let answers = Arc::new(Mutex::new(answers));
    let inner = Scripted { answers, asked: Arc::default() };
    let asked = Arc::clone(&inner.asked);
    let begun = Instant::now();
    let model = Retrying::new(inner, Arc::new(SeededChance::new(1)), within);
    let shown = show(&ask(&model, question()).await);
    let asked = asked.lock().unwrap().iter().map(|at| (*at - begun).as_millis()).collect();
    (shown, asked)
}

const LONG: Duration = Duration::from_mins(1);

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_asked_again_with_growing_waits() {
    let (shown, asked) = tried(
        LONG,
        vec![
            vec![Err(ModelError::Unreachable)],
            vec![Err(ModelError::Failing { status: 503 })],
            vec![Err(ModelError::Limited { retry_after: None })],
            // also when it comes inside of the stream, as long as nothing came before it
            vec![Err(ModelError::Failing { status: 529 }), Ok(end())],
            vec![Ok(text("hi")), Ok(end())],
        ],
    )
    .await;
    assert_eq!(shown, "text \"hi\"\nend Done ? ?");
    let waits: Vec<u128> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (wait, most) in waits.iter().zip([500, 1_000, 2_000, 4_000]) {
        assert!((most / 2..=most + 1).contains(wait), "{waits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn five_tries_are_enough() {
    let failing = || vec![Err(ModelError::Failing { status: 500 })];
    let (shown, asked) = tried(LONG, (0..9).map(|_| failing()).collect()).await;
    assert_eq!(shown, "error Failing { status: 500 }");
    assert_eq!(asked.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured_if_there_is_time() {
    let limited = |seconds| {
        vec![Err(ModelError::Limited { retry_after: Some(Duration::from_secs(seconds)) })]
    };
    let (shown, asked) = tried(LONG, vec![limited(7), vec![Ok(text("hi")), Ok(end())]]).await;
    assert_eq!(shown, "text \"hi\"\nend Done ? ?");
    assert!((7_000..7_200).contains(&asked[1]), "{asked:?}");

    let (shown, asked) = tried(LONG, vec![limited(61)]).await;
    assert_eq!(shown, "error Limited { retry_after: Some(61s) }");
    assert_eq!(asked, [0], "nobody waits for what comes too late");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_again_after_the_first_event() {
    let (shown, asked) =
        tried(LONG, vec![vec![Ok(text("hi")), Err(ModelError::Failing { status: 503 })]]).await;
    assert_eq!(shown, "text \"hi\"\nerror Failing { status: 503 }");
    assert_eq!(asked.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_will_not_pass_is_not_asked_again() {
    for error in [
        ModelError::Rejected { status: 401 },
        ModelError::Garbled,
        ModelError::Cut,
        ModelError::TimedOut,
        ModelError::Empty,
    ] {
        let (shown, asked) = tried(LONG, vec![vec![Err(error.clone())]]).await;
        assert_eq!((shown, asked.len()), (format!("error {error:?}"), 1));
    }
    let (_, asked) = tried(Duration::ZERO, vec![vec![Err(ModelError::Unreachable)]]).await;
    assert_eq!(asked.len(), 1, "without time there is one try");
}
