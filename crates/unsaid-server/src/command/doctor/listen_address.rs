//! Whether the address can be taken, or is taken by a server of ours.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::{Check, Finding, problem};
use crate::config::Config;
use crate::refusal::said;

const ANSWER_WITHIN: Duration = Duration::from_secs(2);
const ANSWER_BYTES_MAX: u64 = 4096;

pub(super) struct ListenAddress;

#[async_trait]
impl Check for ListenAddress {
    fn name(&self) -> &'static str {
        "listen address"
    }

    async fn look(&self, config: &Config) -> Finding {
        let address = config.listen;
        match try_bind(address) {
            Ok(()) => Finding::Well(format!("{address} is free")),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                if is_ours(address).await {
                    return Finding::Well(format!("a server answers on {address}"));
                }
                let what = format!("{address} is taken by another program");
                problem(what, "stop it, or choose another address with --listen")
            }
            Err(error) => problem(
                format!("{address} cannot be used: {}", said(&error)),
                "choose an address of this machine and a port above 1023",
            ),
        }
    }
}

/// Binds without listening: a server that starts at this moment is not disturbed.
fn try_bind(address: SocketAddr) -> io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

async fn is_ours(address: SocketAddr) -> bool {
    let asked = tokio::time::timeout(ANSWER_WITHIN, ask(address)).await;
    matches!(asked, Ok(Ok(answer)) if answer.contains(r#"{"status":"ok"}"#))
}

async fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let question = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(question.as_bytes()).await?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES_MAX).read_to_string(&mut answer).await?;
    Ok(answer)
}
