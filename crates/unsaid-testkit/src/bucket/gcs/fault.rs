//! What goes wrong on order.

use std::time::Duration;

use http::Method;

/// Which requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Writes.
    Put,
    /// Reads, with or without a body.
    Get,
    /// Deletions.
    Delete,
    /// Pages of a list.
    List,
    /// Questions about the bucket itself.
    Settings,
    /// Whatever comes.
    Any,
}

impl On {
    /// What a request for an object is.
    pub(super) fn of(method: &Method) -> Self {
        match *method {
            Method::PUT => Self::Put,
            Method::DELETE => Self::Delete,
            _ => Self::Get,
        }
    }
}

/// What happens then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is carried out, and the answer is this status.
    ApplyThenStatus(u16),
    /// It is carried out, and the connection is closed without an answer.
    ApplyThenDrop,
    /// It is not carried out, and the answer is this status.
    Status(u16),
    /// It is not carried out, and the answer is this status with this code.
    Code(u16, &'static str),
    /// It is not carried out, and the connection is closed without an answer.
    Drop,
    /// It is not carried out, and no answer ever comes.
    Hang,
    /// It is carried out, and no answer ever comes.
    ApplyThenHang,
    /// It is carried out after a while.
    Slow(Duration),
    /// It is carried out, and the connection is closed in the middle of the answer's body.
    CutBody,
}

/// A fault that is still to come.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) on: On,
    pub(super) name_part: Option<String>,
    pub(super) fault: Fault,
    pub(super) times: u32,
}

/// The fault for a request, if one was ordered; it is used up by this.
pub(super) fn take(orders: &mut Vec<Order>, on: On, name: &str) -> Option<Fault> {
    let fits = |order: &Order| {
        (order.on == On::Any || order.on == on)
            && order.name_part.as_ref().is_none_or(|part| name.contains(part))
    };
    let place = orders.iter().position(fits)?;
    let fault = orders[place].fault;
    orders[place].times = orders[place].times.saturating_sub(1);
    orders.retain(|order| order.times > 0);
    Some(fault)
}
