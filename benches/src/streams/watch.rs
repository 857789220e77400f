//! One who watches.

use std::{
    io,
    net::TcpStream as Connection,
    sync::mpsc::Sender,
    time::{Duration, Instant},
};

use tokio::{net::TcpStream, runtime::Runtime};

use crate::exchange::Exchange;

/// A server that takes no more connections does not say so.
const OPENED_WITHIN: Duration = Duration::from_secs(10);
const MESSAGE: &[u8] = br#"data: {"type":"message""#;

/// What a watcher heard.
pub(super) enum Heard {
    /// Something was said in this chat.
    Message { chat: usize, at: Instant },
    /// Nothing more comes.
    End,
}

/// Opens a stream, and listens until it ends. The server may not take it, or not in time.
pub(super) fn watch(
    runtime: &Runtime,
    (address, request): (&str, &[u8]),
    chat: usize,
    ears: Sender<Heard>,
) -> io::Result<()> {
    let mut exchange = Connection::connect(address).and_then(Exchange::new)?;
    exchange.wait_at_most(OPENED_WITHIN)?;
    exchange.write(request)?;
    let (status, _) = exchange.read_head()?;
    assert!(status.starts_with("HTTP/1.1 200"), "{status}");
    let connection = exchange.into_stream();
    connection.set_nonblocking(true)?;
    let _in_runtime = runtime.enter();
    let stream = TcpStream::from_std(connection)?;
    runtime.spawn(async move {
        let mut lines = Vec::new();
        while stream.readable().await.is_ok() && read(&stream, &mut lines).is_ok() {
            while let Some(end) = lines.iter().position(|byte| *byte == b'\n') {
                let is_message = lines[..end].starts_with(MESSAGE);
                lines.drain(..=end);
                if is_message && ears.send(Heard::Message { chat, at: Instant::now() }).is_err() {
                    return;
                }
            }
        }
        // Nobody may want to know any more.
        ears.send(Heard::End).unwrap_or_default();
    });
    Ok(())
}

/// Takes what is there.
fn read(stream: &TcpStream, lines: &mut Vec<u8>) -> io::Result<()> {
    let mut bytes = [0; 4_096];
    match stream.try_read(&mut bytes) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(count) => {
            lines.extend_from_slice(&bytes[..count]);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        Err(error) => Err(error),
    }
}
