//! Who speaks in a rehearsal, and where. Their ids are made like LINE's, and of the admin whose
//! rehearsal it is: nobody comes into somebody else's.

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::source::SourceKind;
use unsaid_http::rehearsal::Spot;

use crate::as_line::Source;
use crate::as_line::people::{Person, group, known_id};

/// What the group is called.
pub(super) const GROUP_NAME: &str = "The rehearsal";
/// Who speaks if nobody is named.
pub(super) const NAME: &str = "Kim";

/// One rehearsal.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) spot: Spot,
    seed: String,
}

impl Player {
    /// That of an admin. The same seed gives the same again.
    pub(super) fn of(seed: &str, admin: &PersonId, spot: Spot) -> Self {
        Self { spot, seed: format!("{seed}\n{admin}") }
    }

    /// Where it is played.
    pub(super) fn source(&self) -> Source {
        match self.spot {
            Spot::Person => {
                let id = known_id(SourceId::new(self.alone().as_str()));
                Source { id, kind: SourceKind::Person }
            }
            Spot::Group => Source { id: group(&self.seed), kind: SourceKind::Group },
        }
    }

    /// The log of it.
    pub(super) fn key(&self) -> ConversationKey {
        ConversationKey::Line(self.source().id)
    }

    /// Who is called like this. Alone with the bot it is one person, whatever they are called.
    pub(super) fn person(&self, name: &str) -> PersonId {
        match self.spot {
            Spot::Person => self.alone(),
            Spot::Group => Person::named(&self.seed, name).id,
        }
    }

    fn alone(&self) -> PersonId {
        // Nobody has an empty name.
        Person::named(&self.seed, "").id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_admin_has_places_and_people_of_their_own() {
        let (ana, ben) = (PersonId::new("ana").unwrap(), PersonId::new("ben").unwrap());
        let of = |admin, spot| Player::of("seed", admin, spot);
        let places = [
            of(&ana, Spot::Person).source().id,
            of(&ana, Spot::Group).source().id,
            of(&ben, Spot::Person).source().id,
            of(&ben, Spot::Group).source().id,
            Player::of("another life", &ana, Spot::Group).source().id,
        ];
        for (nth, place) in places.iter().enumerate() {
            assert!(!places[..nth].contains(place), "{places:?}");
            assert_eq!(place.as_str().len(), 33);
        }
        let alone = of(&ana, Spot::Person);
        assert_eq!(alone.person("Kim"), alone.person("Noa"));
        assert_eq!(alone.person("Kim").as_str(), alone.source().id.as_str());
        let group = of(&ana, Spot::Group);
        assert_ne!(group.person("Kim"), group.person("Noa"));
        assert_ne!(group.person("Kim"), of(&ben, Spot::Group).person("Kim"));
        assert_eq!(SourceKind::told_by(&group.source().id), Some(SourceKind::Group));
        assert_eq!(SourceKind::told_by(&alone.source().id), Some(SourceKind::Person));
    }
}
