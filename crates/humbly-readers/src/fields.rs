//! Fields of a record that borrow from the line and never refuse it.
//!
//! A log field of another type than expected reads as absent: one odd field must not cost the record, and
//! nothing is parsed into a tree that is thrown away.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string, else absent.
#[derive(Debug, Default, Clone)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl Text<'_> {
    /// The string.
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, owned.
    pub(crate) fn owned(&self) -> Option<String> {
        self.get().map(str::to_owned)
    }
}

/// A boolean, else absent.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Flag(pub(crate) Option<bool>);

impl Flag {
    /// Whether it is there and true.
    pub(crate) fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

/// A whole number that is not negative, else absent.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count(pub(crate) Option<u64>);

/// A number, else absent.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Number(pub(crate) Option<f64>);

/// An object read as `T`, else absent.
#[derive(Debug, Clone)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// What a lenient visitor keeps; everything it does not name is passed over.
macro_rules! pass_over {
    ($($method:ident($kind:ty)),*) => {
        $(fn $method<E: Error>(self, _: $kind) -> Result<Self::Value, E> { Ok(Self::Value::default()) })*
    };
    (unit) => {
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
    };
    (seq) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (map) => {
        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Owned(text))))
    }

    pass_over!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64));
    pass_over!(unit);
    pass_over!(seq);
    pass_over!(map);
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Flag;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a boolean")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Flag(Some(flag)))
    }

    pass_over!(visit_str(&str), visit_i64(i64), visit_u64(u64), visit_f64(f64));
    pass_over!(unit);
    pass_over!(seq);
    pass_over!(map);
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a count")
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<Self::Value, E> {
        Ok(Count(Some(count)))
    }

    pass_over!(visit_bool(bool), visit_str(&str), visit_i64(i64), visit_f64(f64));
    pass_over!(unit);
    pass_over!(seq);
    pass_over!(map);
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number(Some(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Number(Some(number as f64)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Number(Some(number as f64)))
    }

    pass_over!(visit_bool(bool), visit_str(&str));
    pass_over!(unit);
    pass_over!(seq);
    pass_over!(map);
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(|object| Object(Some(object)))
    }

    pass_over!(visit_bool(bool), visit_str(&str), visit_i64(i64), visit_u64(u64), visit_f64(f64));
    pass_over!(unit);
    pass_over!(seq);
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

/// The text of a content: a string, or its parts of type text joined by a line end; images are counted.
#[derive(Debug, Default, Clone)]
pub(crate) struct PartsText<'a> {
    /// The text; absent where the field is neither string, list nor object.
    pub(crate) text: Option<Cow<'a, str>>,
    /// Parts that are images or other binary content.
    pub(crate) images: u32,
    /// Code of an error object in the content's place (server tools).
    pub(crate) error_code: Option<String>,
}

#[derive(serde::Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    title: Text<'a>,
    #[serde(borrow, default)]
    url: Text<'a>,
    #[serde(borrow, default)]
    error_code: Text<'a>,
    #[serde(default)]
    content: Object<Nested>,
}

#[derive(serde::Deserialize)]
struct Nested {
    #[serde(default)]
    source: Object<NestedSource>,
}

#[derive(serde::Deserialize)]
struct NestedSource {
    #[serde(default)]
    data: OwnedText,
}

/// A string of its own.
#[derive(Debug, Default, Clone)]
pub(crate) struct OwnedText(pub(crate) Option<String>);

impl<'de> Deserialize<'de> for OwnedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer).map(|text| Self(text.0.map(Cow::into_owned)))
    }
}

#[derive(Default)]
enum PartOrText<'a> {
    Part(Part<'a>),
    Bare(Cow<'a, str>),
    #[default]
    Other,
}

struct PartOrTextVisitor;

impl<'de> Visitor<'de> for PartOrTextVisitor {
    type Value = PartOrText<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a content part")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(PartOrText::Bare(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(PartOrText::Bare(Cow::Owned(text.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        Part::deserialize(MapAccessDeserializer::new(fields)).map(PartOrText::Part)
    }

    pass_over!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64));
    pass_over!(unit);
    pass_over!(seq);
}

impl<'de: 'a, 'a> Deserialize<'de> for PartOrText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartOrTextVisitor)
    }
}

impl<'a> PartsText<'a> {
    fn add(&mut self, piece: Cow<'a, str>) {
        match &mut self.text {
            Some(text) => {
                let text = text.to_mut();
                text.push('\n');
                text.push_str(&piece);
            }
            None => self.text = Some(piece),
        }
    }

    fn add_part(&mut self, part: Part<'a>) {
        match part.kind.get() {
            Some("image" | "image_url" | "input_image" | "audio" | "input_audio" | "document" | "file") => {
                self.images += 1;
            }
            // Encrypted page content is left out: title and address are what can be read.
            Some("web_search_result") => {
                let title = part.title.0.unwrap_or_default();
                let url = part.url.0.unwrap_or_default();
                self.add(Cow::Owned(format!("{title}\n{url}").trim().to_owned()));
            }
            _ => {
                if let Some(code) = part.error_code.owned() {
                    self.add(Cow::Owned(code.clone()));
                    self.error_code = Some(code);
                } else if let Some(text) = part.text.0 {
                    self.add(text);
                } else if let Some(data) =
                    part.content.0.and_then(|nested| nested.source.0).and_then(|source| source.data.0)
                {
                    self.add(Cow::Owned(data));
                }
            }
        }
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = PartsText<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or a list of content parts")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(PartsText { text: Some(Cow::Borrowed(text)), ..PartsText::default() })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(PartsText { text: Some(Cow::Owned(text.to_owned())), ..PartsText::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parts = PartsText::default();
        while let Some(item) = items.next_element::<PartOrText<'de>>()? {
            match item {
                PartOrText::Bare(text) => parts.add(text),
                PartOrText::Part(part) => parts.add_part(part),
                PartOrText::Other => {}
            }
        }
        parts.text.get_or_insert(Cow::Borrowed(""));
        Ok(parts)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        let mut parts = PartsText::default();
        parts.add_part(Part::deserialize(MapAccessDeserializer::new(fields))?);
        Ok(parts)
    }

    pass_over!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64));
    pass_over!(unit);
}

impl<'de: 'a, 'a> Deserialize<'de> for PartsText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Record<'a> {
        #[serde(borrow, default)]
        text: Text<'a>,
        #[serde(default)]
        flag: Flag,
        #[serde(default)]
        count: Count,
        #[serde(borrow, default)]
        content: PartsText<'a>,
    }

    #[test]
    fn a_field_of_another_type_reads_as_absent() {
        let record: Record<'_> =
            serde_json::from_str(r#"{"text": [{"a": 1}], "flag": "yes", "count": -1.5, "content": 7}"#)
                .unwrap();
        assert!(record.text.get().is_none() && record.flag.0.is_none() && record.count.0.is_none());
        assert!(record.content.text.is_none());
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        let record: Record<'_> = serde_json::from_str(r#"{"text": "a", "content": "b"}"#).unwrap();
        assert!(matches!(record.text.0, Some(Cow::Borrowed("a"))));
        assert!(matches!(record.content.text, Some(Cow::Borrowed("b"))));
    }

    #[test]
    fn parts_are_joined_and_images_counted() {
        let json = r#"{"content": [{"type":"text","text":"a"}, 3, "b", {"type":"image"}]}"#;
        let record: Record<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(record.content.text.as_deref(), Some("a\nb"));
        assert_eq!(record.content.images, 1);
    }
}
