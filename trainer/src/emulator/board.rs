//! Boards that models are tried on: five processors under QEMU.

#[path = "../../harness/board/boards.rs"]
mod table;

pub use table::{BOARDS, Board, Region};

use std::{fmt, str::FromStr, sync::LazyLock};

/// The names of all boards, for messages.
pub(crate) static NAMES: LazyLock<String> = LazyLock::new(|| BOARDS.map(|board| board.name).join(", "));

/// A name that no board bears.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no board '{0}'; there are {names}", names = NAMES.as_str())]
pub struct UnknownBoard(String);

impl FromStr for Board {
    type Err = UnknownBoard;

    fn from_str(name: &str) -> Result<Self, UnknownBoard> {
        BOARDS.into_iter().find(|board| board.name == name).ok_or_else(|| UnknownBoard(name.to_owned()))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} under QEMU)", self.title, self.machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_known_by_name() {
        for board in BOARDS {
            assert_eq!(board.name.parse(), Ok(board));
        }
        let error = "m5".parse::<Board>().map_err(|error| error.to_string());
        let names = BOARDS.map(|board| board.name).join(", ");
        assert_eq!(error, Err(format!("no board 'm5'; there are {names}")));
    }
}
