//! Every case of the contract.

use crate::sqlite::fresh;

unsaid_testkit::contract!(fresh);
