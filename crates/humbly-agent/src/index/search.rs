//! A BM25 index, in memory or in a folder.
//!
//! Text is split at word ends, lower-cased, freed of English stop words and stemmed, as Lucene's English
//! analyser does; k1 is 1.2 and b 0.75 (Search-R1's own BM25 server runs Lucene with 0.9 and 0.4). Hits of
//! equal score stand in the order of their ids, so that a ranking never depends on how the index was built.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::collector::sort_key::{SortBySimilarityScore, SortByString};
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TantivyDocument, TextFieldIndexing, TextOptions,
    Value as _,
};
use tantivy::tokenizer::{
    Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
};
use tantivy::{Index, IndexReader, IndexWriter, Order, ReloadPolicy, TantivyError, Term};

use super::corpus::{CorpusReport, Document, read_corpus};
use crate::{AgentError, Result};

const ANALYZER: &str = "humbly_en";
const ID: &str = "id";
const CONTENTS: &str = "contents";
/// Longest word, in bytes.
const WORD_LIMIT: usize = 64;
/// Words of a query that count.
const QUERY_TERMS: usize = 128;
/// The most hits of one search.
const HITS_LIMIT: usize = 1_000;
/// Memory of the writer, in bytes.
const WRITER_MEMORY: usize = 128 << 20;

/// A BM25 index over a corpus.
///
/// # Examples
/// ```
/// use humbly_agent::index::{Document, SearchIndex};
/// let row = |id: &str, contents: &str| Document { id: id.into(), contents: contents.into() };
/// let index = SearchIndex::in_memory([
///     row("0", "\"Ada\"\nAda wrote programs."),
///     row("1", "\"Grace\"\nGrace wrote a compiler."),
/// ])?;
/// assert_eq!(index.search("compilers", 3)?[0].document.id, "1");
/// # Ok::<(), humbly_agent::AgentError>(())
/// ```
pub struct SearchIndex {
    reader: IndexReader,
    analyzer: TextAnalyzer,
    id: Field,
    contents: Field,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The document.
    pub document: Document,
    /// Its BM25 score: above 0, comparable only within one query.
    pub score: f32,
}

impl SearchIndex {
    /// An index in memory over these documents; of two with one id the first counts.
    ///
    /// # Errors
    /// [`AgentError::EmptyCorpus`], [`AgentError::Index`].
    pub fn in_memory(documents: impl IntoIterator<Item = Document>) -> Result<Self> {
        let index = prepared(Index::create_in_ram(schema()));
        let mut writer = Writer::new(&index)?;
        let mut known = HashSet::new();
        let mut problems = 0;
        for document in documents {
            if known.insert(document.id.clone()) {
                writer.add(document)?;
            } else {
                problems += 1;
            }
        }
        writer.finish(problems)?;
        Self::over(&index, Path::new(""))
    }

    /// An index in memory over a corpus file, with what was read of it.
    ///
    /// # Errors
    /// [`AgentError::Read`], [`AgentError::EmptyCorpus`], [`AgentError::Index`].
    pub fn from_corpus(path: &Path) -> Result<(Self, CorpusReport)> {
        let index = prepared(Index::create_in_ram(schema()));
        let report = fill(&index, path)?;
        Ok((Self::over(&index, Path::new(""))?, report))
    }

    /// Builds an index in a folder, which is made; one that is there already is an error.
    ///
    /// # Errors
    /// [`AgentError::Read`], [`AgentError::EmptyCorpus`], [`AgentError::Index`].
    pub fn build(corpus: &Path, folder: &Path) -> Result<(Self, CorpusReport)> {
        std::fs::create_dir_all(folder)
            .map_err(|source| AgentError::Read { path: folder.to_owned(), source })?;
        let index = Index::create_in_dir(folder, schema()).map_err(failed("be created"))?;
        let index = prepared(index);
        let report = fill(&index, corpus)?;
        Ok((Self::over(&index, folder)?, report))
    }

    /// Opens an index in a folder.
    ///
    /// # Errors
    /// [`AgentError::Index`], [`AgentError::ForeignIndex`].
    pub fn open(folder: &Path) -> Result<Self> {
        let index = Index::open_in_dir(folder).map_err(failed("be opened"))?;
        Self::over(&prepared(index), folder)
    }

    fn over(index: &Index, folder: &Path) -> Result<Self> {
        let schema = index.schema();
        let field = |name: &'static str| {
            schema
                .get_field(name)
                .map_err(|_| AgentError::ForeignIndex { path: folder.to_owned(), field: name })
        };
        let (id, contents) = (field(ID)?, field(CONTENTS)?);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(failed("be opened"))?;
        Ok(Self { reader, analyzer: analyzer(), id, contents })
    }

    /// Documents in the index.
    pub fn len(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `limit` (at most 1,000) documents that fit best, best first; those without a word of the query are
    /// no hits. A query is words alone: it has no syntax.
    ///
    /// # Errors
    /// [`AgentError::Index`].
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>> {
        let terms = self.terms(query);
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let order = TopDocs::with_limit(limit.min(HITS_LIMIT))
            .order_by(((SortBySimilarityScore, Order::Desc), (SortByString::for_field(ID), Order::Asc)));
        let found = searcher.search(&BooleanQuery::new(terms), &order).map_err(failed("search"))?;
        found
            .into_iter()
            .map(|((score, _), address)| {
                let row: TantivyDocument = searcher.doc(address).map_err(failed("read a document"))?;
                let text = |field| row.get_first(field).and_then(|value| value.as_str()).unwrap_or_default();
                let document =
                    Document { id: text(self.id).to_owned(), contents: text(self.contents).to_owned() };
                Ok(Hit { document, score })
            })
            .collect()
    }

    /// The words of a query, each once.
    fn terms(&self, query: &str) -> Vec<(Occur, Box<dyn Query>)> {
        let mut analyzer = self.analyzer.clone();
        let mut known = HashSet::new();
        let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut stream = analyzer.token_stream(query);
        while stream.advance() && terms.len() < QUERY_TERMS {
            let word = &stream.token().text;
            if known.insert(word.clone()) {
                let term = Term::from_field_text(self.contents, word);
                terms.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
            }
        }
        terms
    }
}

fn schema() -> Schema {
    let mut schema = Schema::builder();
    schema.add_text_field(ID, STRING | STORED | FAST);
    let words =
        TextFieldIndexing::default().set_tokenizer(ANALYZER).set_index_option(IndexRecordOption::WithFreqs);
    schema.add_text_field(CONTENTS, TextOptions::default().set_stored().set_indexing_options(words));
    schema.build()
}

fn analyzer() -> TextAnalyzer {
    let lowered = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(WORD_LIMIT))
        .filter(LowerCaser);
    let stemmer = Stemmer::new(Language::English);
    match StopWordFilter::new(Language::English) {
        Some(stop_words) => lowered.filter(stop_words).filter(stemmer).build(),
        None => lowered.filter(stemmer).build(),
    }
}

fn prepared(index: Index) -> Index {
    index.tokenizers().register(ANALYZER, analyzer());
    index
}

fn fill(index: &Index, corpus: &Path) -> Result<CorpusReport> {
    let unreadable = |source| AgentError::Read { path: corpus.to_owned(), source };
    let file = File::open(corpus).map_err(unreadable)?;
    let mut writer = Writer::new(index)?;
    let report =
        read_corpus::<Failure>(BufReader::with_capacity(1 << 20, file), |document| Ok(writer.add(document)?))
            .map_err(|failure| match failure {
                Failure::Read(source) => unreadable(source),
                Failure::Index(error) => error,
            })?;
    writer.finish(report.unusable)?;
    Ok(report)
}

/// What can stop the reading of a corpus.
enum Failure {
    Read(std::io::Error),
    Index(AgentError),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        Self::Index(error)
    }
}

/// One thread writes, so that the same corpus makes the same index.
struct Writer {
    inner: IndexWriter,
    id: Field,
    contents: Field,
    documents: u64,
}

impl Writer {
    fn new(index: &Index) -> Result<Self> {
        let schema = index.schema();
        let field = |name| schema.get_field(name).map_err(failed("find its fields"));
        let (id, contents) = (field(ID)?, field(CONTENTS)?);
        let inner = index.writer_with_num_threads(1, WRITER_MEMORY).map_err(failed("be written"))?;
        Ok(Self { inner, id, contents, documents: 0 })
    }

    fn add(&mut self, document: Document) -> Result<()> {
        let mut row = TantivyDocument::default();
        row.add_text(self.id, document.id);
        row.add_text(self.contents, document.contents);
        self.inner.add_document(row).map_err(failed("take a document"))?;
        self.documents += 1;
        Ok(())
    }

    fn finish(mut self, problems: u64) -> Result<()> {
        if self.documents == 0 {
            return Err(AgentError::EmptyCorpus { problems });
        }
        self.inner.commit().map_err(failed("be written"))?;
        self.inner.wait_merging_threads().map_err(failed("be merged"))
    }
}

fn failed(action: &'static str) -> impl Fn(TantivyError) -> AgentError {
    move |source| AgentError::Index { action, source }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn row(id: &str, contents: &str) -> Document {
        Document { id: id.into(), contents: contents.into() }
    }

    fn towers() -> SearchIndex {
        SearchIndex::in_memory([
            row("9", "\"North tower\"\nThe north tower is 90 metres high."),
            row("10", "\"South tower\"\nThe south tower is 80 metres high."),
            row("2", "\"Bridge\"\nA bridge of stone."),
            row("b", "\"Same\"\nquince"),
            row("a", "\"Same\"\nquince"),
            row("c", "\"Same\"\nquince"),
            row("z", "\"Zürich\"\n東京 is far from Zürich."),
        ])
        .unwrap()
    }

    fn ids(index: &SearchIndex, query: &str, limit: usize) -> Vec<String> {
        index.search(query, limit).unwrap().into_iter().map(|hit| hit.document.id).collect()
    }

    #[test]
    fn hits_are_ranked_and_those_without_a_word_are_none() {
        let index = towers();
        assert_eq!(ids(&index, "how high is the north tower?", 2), ["9", "10"]);
        assert_eq!(ids(&index, "bridges", 3), ["2"]);
        assert_eq!(ids(&index, "ZÜRICH", 3), ["z"]);
        assert_eq!(ids(&index, "東京", 3), ["z"]);
        assert!(ids(&index, "the of and", 3).is_empty());
        assert!(ids(&index, "zebra", 3).is_empty());
        let hits = index.search("north tower", 3).unwrap();
        assert!(hits[0].score > hits[1].score && hits[1].score > 0.0);
    }

    #[test]
    fn equal_scores_stand_in_the_order_of_ids() {
        let index = towers();
        assert_eq!(ids(&index, "quince", 3), ["a", "b", "c"]);
        assert_eq!(ids(&index, "quince", 1), ["a"]);
    }

    #[test]
    fn the_score_is_bm25() {
        let index = SearchIndex::in_memory([row("0", "apple pear"), row("1", "plum plum plum")]).unwrap();
        // idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)); tf of 3 with length 3 and mean length 2.5.
        let idf = 2.0_f32.ln();
        let expected = idf * 2.2 * 3.0 / (3.0 + 1.2 * (0.25 + 0.75 * 3.0 / 2.5));
        let score = index.search("plum", 1).unwrap()[0].score;
        assert!((score - expected).abs() < 1e-4, "{score} {expected}");
    }

    #[test]
    fn an_index_in_a_folder_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus.jsonl");
        let mut file = File::create(&corpus).unwrap();
        writeln!(file, r#"{{"id": "0", "contents": "\"A\"\nalpha"}}"#).unwrap();
        writeln!(file, "broken").unwrap();
        writeln!(file, r#"{{"id": "1", "contents": "\"B\"\nbeta"}}"#).unwrap();
        let place = folder.path().join("index");
        let (built, report) = SearchIndex::build(&corpus, &place).unwrap();
        assert_eq!((built.len(), report.unusable), (2, 1));
        assert!(matches!(SearchIndex::build(&corpus, &place), Err(AgentError::Index { .. })));
        drop(built);
        let opened = SearchIndex::open(&place).unwrap();
        assert_eq!(ids(&opened, "beta", 3), ["1"]);
        let (in_memory, _) = SearchIndex::from_corpus(&corpus).unwrap();
        assert_eq!(in_memory.search("beta", 3).unwrap(), opened.search("beta", 3).unwrap());
        assert!(SearchIndex::open(folder.path()).is_err());
    }

    #[test]
    fn an_empty_corpus_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus.jsonl");
        std::fs::write(&corpus, "broken\n").unwrap();
        let error = SearchIndex::from_corpus(&corpus).err().unwrap();
        assert_eq!(error.to_string(), "the corpus has no usable row (1 unusable)");
        assert!(matches!(
            SearchIndex::from_corpus(&folder.path().join("none")),
            Err(AgentError::Read { .. })
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_query_has_no_syntax(query in "(AND|OR|NOT|\"|\\(|\\)|\\*|id:|~|\\^|[a-z ]|\\PC){0,30}") {
            static INDEX: std::sync::LazyLock<SearchIndex> = std::sync::LazyLock::new(towers);
            prop_assert!(INDEX.search(&query, 3).is_ok());
        }
    }
}
