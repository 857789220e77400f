//! Hands letters over to the other side, step by step.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use unsaid_core::domain::conversation::change::SendOutcome;
use unsaid_core::port::messenger::{Letter, Messenger};

use super::outbox::{ACCEPTED, line};
use super::points::Points;

pub(super) struct PointedMessenger {
    pub(super) points: Arc<Points>,
    pub(super) other_side: SocketAddr,
}

#[async_trait]
impl Messenger for PointedMessenger {
    async fn send(&self, letter: &Letter) -> SendOutcome {
        let points = &self.points;
        let name = format!("letter {}", points.count("letter"));
        let handed_over = format!("{name} handed over");
        points.reach(&format!("{name} unwritten")).await;
        let mut stream = TcpStream::connect(self.other_side).await.unwrap();
        let line = line(letter, points.is_stop(&handed_over));
        let (half, rest) = line.as_bytes().split_at(line.len() / 2);
        stream.write_all(half).await.unwrap();
        points.reach(&format!("{name} half written")).await;
        stream.write_all(rest).await.unwrap();
        points.reach(&handed_over).await;
        let mut answer = [0];
        stream.peek(&mut answer).await.unwrap();
        points.reach(&format!("{name} accepted")).await;
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer, [ACCEPTED]);
        points.reach(&format!("{name} answered")).await;
        SendOutcome::Sent
    }
}
