//! Clouds to stand in for the real ones: loopback, true sockets, and faults on order.

pub mod gcs;
