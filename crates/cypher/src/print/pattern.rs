//! Patterns.

use std::fmt;

use super::Printer;
use crate::tree::{
    Expression, Labels, Name, NodePattern, Path, RelationshipDirection, RelationshipPattern,
};

impl Printer<'_> {
    pub(super) fn path(&mut self, path: &Path) -> fmt::Result {
        self.node(&path.start)?;
        for step in &path.steps {
            self.relationship(&step.relationship)?;
            self.node(&step.node)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &NodePattern) -> fmt::Result {
        self.out.push('(');
        if let Some(variable) = node.variable {
            self.variable(variable)?;
        }
        self.labels(&node.labels);
        self.properties(&node.properties)?;
        self.out.push(')');
        Ok(())
    }

    fn relationship(&mut self, relationship: &RelationshipPattern) -> fmt::Result {
        self.out.push_str(match relationship.direction {
            RelationshipDirection::Left => "<-[",
            RelationshipDirection::Right | RelationshipDirection::Either => "-[",
        });
        if let Some(variable) = relationship.variable {
            self.variable(variable)?;
        }
        self.out.push(':');
        self.name(&relationship.r#type);
        self.properties(&relationship.properties)?;
        self.out.push_str(match relationship.direction {
            RelationshipDirection::Right => "]->",
            RelationshipDirection::Left | RelationshipDirection::Either => "]-",
        });
        Ok(())
    }

    /// A single alternative is printed in the syntax of all versions.
    pub(super) fn labels(&mut self, labels: &Labels) {
        match labels.0.as_slice() {
            [] => {}
            [labels] => self.all_labels(labels),
            alternatives => {
                for (index, labels) in alternatives.iter().enumerate() {
                    self.out.push(if index == 0 { ':' } else { '|' });
                    let several = labels.len() > 1;
                    if several {
                        self.out.push('(');
                    }
                    for (index, label) in labels.iter().enumerate() {
                        if index > 0 {
                            self.out.push('&');
                        }
                        self.name(label);
                    }
                    if several {
                        self.out.push(')');
                    }
                }
            }
        }
    }

    pub(super) fn all_labels(&mut self, labels: &[Name]) {
        for label in labels {
            self.out.push(':');
            self.name(label);
        }
    }

    fn properties(&mut self, properties: &[(Name, Expression)]) -> fmt::Result {
        if properties.is_empty() {
            return Ok(());
        }
        self.out.push(' ');
        self.map(properties)
    }

    pub(super) fn map(&mut self, entries: &[(Name, Expression)]) -> fmt::Result {
        self.out.push('{');
        for (index, (name, value)) in entries.iter().enumerate() {
            self.comma(index);
            self.name(name);
            self.out.push_str(": ");
            self.expression(value)?;
        }
        self.out.push('}');
        Ok(())
    }
}
