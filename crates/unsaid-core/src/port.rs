//! What the house asks of the outside: small traits, each with its guarantees.

pub mod access;
pub mod allowances;
pub mod clock;
pub mod directory;
pub mod erasure;
pub mod error;
pub mod health;
pub mod history;
pub mod joined;
pub mod keys;
pub mod media;
pub mod messenger;
pub mod model;
pub mod passwords;
pub mod people;
pub mod volatile;
pub mod worlds;

/// Everything a store of the whole house must do.
pub trait Store:
    history::History
    + keys::Keys
    + media::Media
    + people::People
    + access::Access
    + erasure::Erasure
    + worlds::Worlds
    + directory::Directory
    + health::Health
{
}

impl<T> Store for T where
    T: history::History
        + keys::Keys
        + media::Media
        + people::People
        + access::Access
        + erasure::Erasure
        + worlds::Worlds
        + directory::Directory
        + health::Health
{
}
