//! The process to which the servers belong: see the module above.

use std::io::{Read as _, Write as _};
use std::path::Path;

use super::moto::Moto;
use super::postgres::Postgres;
use super::scratch::Scratch;
use super::{FAILED, READY};

/// Starts the servers, says where they are, and ends them when the input closes.
pub(crate) fn keep(arguments: &[String]) -> Result<(), String> {
    let [moto] = arguments else {
        return Err("the keeper needs the directory of moto".to_owned());
    };
    // in this order, because they end in the opposite one: first the servers, then their files
    let scratch = Scratch::new()?;
    let servers = match start(&scratch, Path::new(moto)) {
        Ok(servers) => servers,
        Err(sentence) => return say(&format!("{FAILED}{sentence}")),
    };
    say(&format!("UNSAID_TEST_POSTGRES={}", servers.postgres.address()))?;
    say(&format!("UNSAID_TEST_S3={}", servers.moto.address()))?;
    say(READY)?;
    // whatever ends the reading, we are alone now
    std::io::stdin().read_to_end(&mut Vec::new()).map(|_| ()).unwrap_or_default();
    drop(servers);
    drop(scratch);
    Ok(())
}

struct Servers {
    postgres: Postgres,
    moto: Moto,
}

fn start(scratch: &Scratch, moto: &Path) -> Result<Servers, String> {
    Ok(Servers { postgres: Postgres::start(scratch)?, moto: Moto::start(scratch, moto)? })
}

fn say(line: &str) -> Result<(), String> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")
        .and_then(|()| output.flush())
        .map_err(|error| format!("nobody listens to the keeper: {error}"))
}
