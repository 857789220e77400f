//! Times, percentiles, tables.

use std::{process::ExitCode, time::Duration};

/// Times of single operations.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The time below which this share of all times lies.
    pub(crate) fn share(&mut self, share: f64) -> Duration {
        self.0.sort_unstable();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index into a list that fits into memory"
        )]
        let index = ((self.0.len() - 1) as f64 * share).round() as usize;
        self.0[index]
    }

    pub(crate) fn p50(&mut self) -> Duration {
        self.share(0.50)
    }

    pub(crate) fn p99(&mut self) -> Duration {
        self.share(0.99)
    }
}

/// What we promise of a figure.
pub(crate) struct Promise {
    pub(crate) what: String,
    pub(crate) measured: f64,
    pub(crate) bound: Bound,
}

pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Promise {
    pub(crate) fn at_least(what: impl Into<String>, measured: f64, bound: f64) -> Self {
        Self { what: what.into(), measured, bound: Bound::AtLeast(bound) }
    }

    pub(crate) fn at_most(what: impl Into<String>, measured: f64, bound: f64) -> Self {
        Self { what: what.into(), measured, bound: Bound::AtMost(bound) }
    }

    fn is_kept(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.measured >= bound,
            Bound::AtMost(bound) => self.measured <= bound,
        }
    }
}

/// Prints all promises; the exit code says whether all were kept.
pub(crate) fn print_promises(promises: &[Promise]) -> ExitCode {
    println!("\n## promises\n");
    let rows = promises.iter().map(|promise| {
        let bound = match promise.bound {
            Bound::AtLeast(bound) => format!("at least {bound}"),
            Bound::AtMost(bound) => format!("at most {bound}"),
        };
        let kept = if promise.is_kept() { "kept" } else { "BROKEN" };
        vec![promise.what.clone(), format!("{:.2}", promise.measured), bound, kept.to_owned()]
    });
    print_table(&["promise", "measured", "bound", ""], rows.collect());
    if promises.iter().all(Promise::is_kept) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a table that reads well as text and as Markdown.
pub(crate) fn print_table(head: &[&str], rows: Vec<Vec<String>>) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        println!("| {} |", cells.collect::<Vec<_>>().join(" | "));
    };
    line(head.iter().map(|&cell| cell.to_owned()).collect());
    line(widths.iter().map(|&width| "-".repeat(width)).collect());
    for row in rows {
        line(row);
    }
}

pub(crate) fn micros(time: Duration) -> String {
    format!("{:.0} µs", time.as_secs_f64() * 1e6)
}

pub(crate) fn per_second(count: usize, time: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of operations")]
    let count = count as f64;
    count / time.as_secs_f64()
}
