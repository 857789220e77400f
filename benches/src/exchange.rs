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

    /// For each piece of what comes from now on.
    pub(crate) fn wait_at_most(&self, time: Duration) -> io::Result<()> {
        self.0.get_ref().set_read_timeout(Some(time))
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_ref().write_all(bytes)
    }

    /// The first line of what comes next; its body is read and dropped.
    pub(crate) fn read(&mut self) -> io::Result<String> {
        let (first, body_bytes) = self.read_head()?;
        io::copy(&mut self.0.by_ref().take(body_bytes), &mut io::sink())?;
        Ok(first)
    }

    /// The same with its body.
    pub(crate) fn read_whole(&mut self) -> io::Result<(String, Vec<u8>)> {
        let (first, body_bytes) = self.read_head()?;
        let mut body = Vec::new();
        self.0.by_ref().take(body_bytes).read_to_end(&mut body)?;
        Ok((first, body))
    }

    /// The first line of what comes next, and how long the body after it is, where that is told.
    pub(crate) fn read_head(&mut self) -> io::Result<(String, u64)> {
        let first = self.line()?;
        let mut body_bytes = 0;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok((first, body_bytes));
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            if name.eq_ignore_ascii_case("content-length") {
                body_bytes = value.trim().parse().map_err(io::Error::other)?;
            }
        }
    }

    /// The next line, of a head or of a body that has some.
    pub(crate) fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    /// The connection itself. Nothing that has come already may be lost.
    pub(crate) fn into_stream(self) -> TcpStream {
        assert!(self.0.buffer().is_empty(), "nothing more has come");
        self.0.into_inner()
    }
}
