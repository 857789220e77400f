//! An S3 server for tests: moto, which pip installs.
//!
//! It was chosen because it keeps what conditional writes promise; others answer 200 and lose data.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::python::{self, Package};
use super::scratch::{Scratch, with_log};
use super::{PORT_TRIES, free_port, until_ready};
use crate::process;

/// What pip installs.
pub(super) const PACKAGE: Package =
    Package { name: "moto", version: "5.2.5", requirement: "moto[server]" };
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// A running server; it ends when this is dropped.
pub(super) struct Moto {
    server: Child,
    address: String,
}

impl Moto {
    /// Starts the server and waits until it answers.
    pub(super) fn start(scratch: &Scratch, environment: &Path) -> Result<Self, String> {
        let mut sentence = String::new();
        for _ in 0..PORT_TRIES {
            let port = free_port()?;
            match serve(scratch, environment, port) {
                Ok(server) => {
                    return Ok(Self { server, address: format!("http://127.0.0.1:{port}") });
                }
                Err(why) => sentence = why,
            }
        }
        Err(sentence)
    }

    /// Where it is.
    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // both fail only if it has ended already
        self.server.kill().unwrap_or_default();
        self.server.wait().map(|_| ()).unwrap_or_default();
    }
}

fn serve(scratch: &Scratch, environment: &Path, port: u16) -> Result<Child, String> {
    let (log, path) = scratch.log("moto")?;
    let errors = log.try_clone().map_err(|error| format!("no log: {error}"))?;
    // through the interpreter: scripts name the directory in which they were made
    let mut server = Command::new("setpriv")
        .arg("--pdeathsig=KILL")
        .arg(python::interpreter(environment))
        .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .spawn()
        .map_err(|error| process::not_started("moto", &error))?;
    let ready = until_ready("moto", &mut server, || answers(port));
    ready.map(|()| server).map_err(|sentence| with_log(&sentence, &path))
}

fn answers(port: u16) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.write_all(b"GET /moto-api/ HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")?;
        let mut head = [0; 12];
        stream.read_exact(&mut head)?;
        Ok(head.ends_with(b" 200"))
    };
    ask().unwrap_or(false)
}
