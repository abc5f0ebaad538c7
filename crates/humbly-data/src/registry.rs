//! The list of data sets.

use crate::error::{DataError, Result};
use crate::load::Questions;
use crate::row::{Fault, Row};
use crate::sets;
use crate::source::RemoteFile;

/// A data set that can be pulled and loaded.
#[derive(Debug, Clone, Copy)]
pub struct DataSet {
    /// Name on the command line.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What it is for here.
    pub purpose: &'static str,
    /// Licence of the data.
    pub licence: &'static str,
    /// Where it is at home.
    pub home: &'static str,
    /// Rows of the files that are pulled, where we or upstream counted them.
    pub rows: Option<u64>,
    /// Whether terms have to be accepted first.
    pub is_gated: bool,
    /// The rows may not be published: they are shown with this warning.
    pub warning: Option<&'static str>,
    /// Forms of rows that are read, in words.
    pub expects: &'static str,
    /// What falls out, and why.
    pub left_out: &'static str,
    /// What is pulled.
    pub files: &'static [RemoteFile],
    /// Key of the rows, where the file is one object.
    pub(crate) wrapper: Option<&'static str>,
    /// Whether published copies word the same question otherwise: see [`Copies`](crate::copies::Copies).
    pub(crate) is_reworded: bool,
    pub(crate) read: fn(Row<'_>, &mut Questions<'_>) -> std::result::Result<(), Fault>,
}

impl DataSet {
    /// What the fields are where a set says nothing else.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        title: "",
        purpose: "",
        licence: "",
        home: "",
        rows: None,
        is_gated: false,
        warning: None,
        expects: "",
        left_out: "nothing",
        files: &[],
        wrapper: None,
        is_reworded: false,
        read: |_, _| Err(Fault(String::new())),
    };
}

/// All data sets, by name.
pub const DATA_SETS: &[DataSet] = &[
    sets::aime::SET,
    sets::browsecomp::SET,
    sets::conflictqa::SET,
    sets::dapo_math::SET,
    sets::gaia::SET,
    sets::gsm8k::SET,
    sets::hotpotqa::SET,
    sets::math_500::SET,
    sets::mip_overthinking::SET,
    sets::monaco::SET,
    sets::musique::SET,
    sets::nq_open::SET,
    sets::olympiadbench::SET,
    sets::selfaware::SET,
    sets::simpleqa::SET,
    sets::simpleqa_verified::SET,
    sets::wikicontradict::SET,
];

/// A user's own problems of mathematics, which no name on the command line stands for.
pub const MATHS: DataSet = sets::maths::SET;

/// The data set with this name.
///
/// # Errors
/// [`DataError::Unknown`].
///
/// # Examples
/// ```
/// assert_eq!(humbly_data::data_set("gsm8k")?.rows, Some(1_319));
/// # Ok::<(), humbly_data::DataError>(())
/// ```
pub fn data_set(name: &str) -> Result<&'static DataSet> {
    DATA_SETS.iter().find(|set| set.name == name).ok_or_else(|| DataError::Unknown {
        name: name.to_owned(),
        known: DATA_SETS.iter().map(|set| set.name.to_owned()).collect(),
    })
}
