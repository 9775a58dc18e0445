//! Tables of entities, and their indexes.

use super::{EntityPlace, Omitted, OmittedReason, Planner};
use crate::database::ExtensionSupport;
use crate::model::{self, DefaultValue, Entity, Field, FieldType, Key, Model};
use crate::tables::{
    Column, ColumnType, Fill, Index, IndexMethod, Metric, Stored, StoredValue, Table, Unique,
};

impl Planner<'_> {
    /// Adds the table of each entity.
    pub(super) fn entities(&mut self) {
        for entity in &self.model.entities {
            let name = self.table_name(&Stored::Entity(entity.name.clone()), &entity.name);
            let (table, place) = self.entity(entity, name);
            self.tables.push(table);
            self.places.entities.push(place);
        }
    }

    fn entity(&mut self, entity: &Entity, name: Box<str>) -> (Table, EntityPlace) {
        let mut columns = Vec::with_capacity(entity.fields.len() + 1);
        if let Key::Sequence { column } = &entity.key {
            let stores = StoredValue::Sequence;
            let name = self.column_name(&name, &stores, column);
            let r#type = ColumnType::Int64;
            let (is_list, is_required) = (false, true);
            columns.push(Column { name, stores, r#type, is_list, is_required, fill: None });
        }
        let mut fields = Vec::with_capacity(entity.fields.len());
        for field in &entity.fields {
            let stores = StoredValue::Field(field.name.clone());
            let name = self.column_name(&name, &stores, &field.name);
            fields.push(name.clone());
            columns.push(Column {
                name,
                stores,
                r#type: column_type(self.model, field.r#type),
                is_list: field.is_list,
                is_required: field.is_required,
                fill: field.default.as_ref().map(|default| match default {
                    DefaultValue::Now => Fill::Now,
                    DefaultValue::Text(text) => Fill::Text(text.clone()),
                }),
            });
        }
        let key: Vec<Box<str>> = match &entity.key {
            Key::Sequence { .. } => columns.iter().take(1).map(|own| own.name.clone()).collect(),
            Key::Fields(indexes) => {
                indexes.iter().filter_map(|index| fields.get(*index).cloned()).collect()
            }
        };
        let mut table = Table {
            name,
            stores: Stored::Entity(entity.name.clone()),
            columns,
            primary_key: key.clone(),
            unique: Vec::new(),
            references: Vec::new(),
            indexes: Vec::new(),
            groups: Vec::new(),
            requires: None,
            singles: None,
        };
        for (field, column) in entity.fields.iter().zip(&fields) {
            let is_key = *key == [column.clone()];
            if field.is_unique && !is_key {
                table.unique.push(Unique { name: "".into(), columns: vec![column.clone()] });
            }
            let is_found = field.is_unique || key.first() == Some(column);
            for index in &field.indexes {
                self.index(&mut table, field, column, *index, is_found);
            }
        }
        let place = EntityPlace { table: table.name.clone(), key, fields };
        (table, place)
    }

    /// Adds an index of a column, unless another serves the same searches.
    fn index(
        &mut self,
        table: &mut Table,
        field: &Field,
        column: &str,
        index: model::Index,
        is_found: bool,
    ) {
        match self.method(table, (field, column), index) {
            // A key is in the order of its first column.
            Ok(IndexMethod::Tree | IndexMethod::Hash) if is_found => {}
            Ok(method) => {
                if method == IndexMethod::Tree {
                    let replaced = |own: &Index| {
                        own.method == IndexMethod::Hash && own.columns == [column.into()]
                    };
                    table.indexes.retain(|own| !replaced(own));
                }
                let serves = [method, IndexMethod::Tree];
                let is_served = match method {
                    IndexMethod::Hash => {
                        serves.iter().any(|method| table.find_index(column, *method).is_some())
                    }
                    IndexMethod::Tree
                    | IndexMethod::Words
                    | IndexMethod::Stems
                    | IndexMethod::Trigrams
                    | IndexMethod::Places
                    | IndexMethod::Vectors { .. }
                    | IndexMethod::Elements => table.find_index(column, method).is_some(),
                };
                if !is_served {
                    let columns = vec![column.into()];
                    table.indexes.push(Index { name: "".into(), columns, method });
                }
            }
            Err(reason) => self.omitted.push(Omitted {
                table: table.name.clone(),
                column: column.into(),
                reason,
            }),
        }
    }

    /// The method of an index, if this database has it for this field.
    fn method(
        &self,
        table: &Table,
        (field, column): (&Field, &str),
        index: model::Index,
    ) -> Result<IndexMethod, OmittedReason> {
        let definitions = self.database.flavor.definitions;
        let is_text = matches!(field.r#type, FieldType::Text | FieldType::Enum(_));
        let of_words = |method| {
            let in_virtual_tables = definitions.words == sql::WordIndexes::VirtualTables;
            match () {
                () if !is_text => Err(OmittedReason::WordsOfOtherType),
                () if field.is_list => Err(OmittedReason::WordsOfList),
                () if in_virtual_tables && table.number_key().is_none() => {
                    Err(OmittedReason::WordsWithoutNumberKey)
                }
                () => Ok(method),
            }
        };
        match index {
            model::Index::Equality | model::Index::Order if field.is_list => {
                match definitions.arrays {
                    true => Ok(IndexMethod::Elements),
                    false => Err(OmittedReason::Elements),
                }
            }
            model::Index::Equality if field.r#type == FieldType::Text => Ok(IndexMethod::Hash),
            model::Index::Equality | model::Index::Order => Ok(IndexMethod::Tree),
            model::Index::Terms => of_words(IndexMethod::Words),
            // Sequences are those of stems.
            model::Index::FullText | model::Index::WordSequences => of_words(IndexMethod::Stems),
            model::Index::Trigram => match self.database.trigrams {
                ExtensionSupport::Available | ExtensionSupport::Creatable => {
                    of_words(IndexMethod::Trigrams)
                }
                ExtensionSupport::Missing => Err(OmittedReason::Trigrams),
            },
            model::Index::Geo if field.is_list => Err(OmittedReason::PlacesOfList),
            model::Index::Geo => match definitions.words {
                sql::WordIndexes::VirtualTables if table.number_key().is_none() => {
                    Err(OmittedReason::PlacesWithoutNumberKey)
                }
                sql::WordIndexes::Indexes | sql::WordIndexes::VirtualTables => {
                    Ok(IndexMethod::Places)
                }
            },
            model::Index::Vector { metric, candidates } => {
                let metric = match metric {
                    model::Metric::Euclidean => Metric::Euclidean,
                    model::Metric::Cosine => Metric::Cosine,
                    model::Metric::DotProduct => Metric::DotProduct,
                };
                let dimensions = self.dimensions(&table.name, column)?;
                Ok(IndexMethod::Vectors { dimensions, metric, candidates })
            }
        }
    }

    /// The length of the vectors that the index of a column has: that of the recorded index, or of
    /// stored vectors.
    fn dimensions(&self, table: &str, column: &str) -> Result<u16, OmittedReason> {
        if self.database.vectors.support == ExtensionSupport::Missing {
            return Err(OmittedReason::Vector);
        }
        let recorded = self.recorded.find(table).into_iter().flat_map(|table| &table.indexes);
        let mut recorded = recorded.filter(|index| *index.columns == [column.into()]);
        let known = recorded.find_map(|index| match index.method {
            IndexMethod::Vectors { dimensions, .. } => Some(dimensions),
            _ => None,
        });
        let mut lengths = self.database.vectors.lengths.iter();
        let mut length = || lengths.find(|own| *own.table == *table && *own.column == *column);
        known.or_else(|| length().map(|own| own.length)).ok_or(OmittedReason::VectorLength)
    }
}

/// The type of the column of a field.
pub(super) fn column_type(model: &Model, r#type: FieldType) -> ColumnType {
    match r#type {
        FieldType::Boolean => ColumnType::Boolean,
        FieldType::Int32 => ColumnType::Int32,
        FieldType::Int64 => ColumnType::Int64,
        FieldType::Float64 => ColumnType::Float64,
        FieldType::Text => ColumnType::Text,
        FieldType::DateTime => ColumnType::DateTime,
        FieldType::Json => ColumnType::Json,
        FieldType::Enum(index) => {
            let labels = model.enums.get(index.0).map(|own| own.labels.clone());
            ColumnType::Enum(labels.unwrap_or_default())
        }
        FieldType::Point => ColumnType::Point,
        FieldType::Polygon => ColumnType::Polygon,
        FieldType::MultiPolygon => ColumnType::MultiPolygon,
        FieldType::Vector => ColumnType::Vector,
        FieldType::Password => ColumnType::Password,
    }
}
