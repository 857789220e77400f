//! Every case of the contract.

use super::database::fresh;

unsaid_testkit::contract!(fresh);
