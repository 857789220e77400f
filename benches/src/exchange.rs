//! Requests and responses on a connection that is kept, read by a thread that has nothing else to do.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// Nothing on loopback takes so long.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// One connection.
pub(crate) struct Exchange(BufReader<TcpStream>);

impl Exchange {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE_MAX))?;
        Ok(Self(BufReader::new(stream)))
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_ref().write_all(bytes)
    }

    /// The first line of what comes next; its body is read and dropped.
    pub(crate) fn read(&mut self) -> io::Result<String> {
        let first = self.line()?;
        let mut body_bytes = 0;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            if name.eq_ignore_ascii_case("content-length") {
                body_bytes = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        io::copy(&mut self.0.by_ref().take(body_bytes), &mut io::sink())?;
        Ok(first)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}
