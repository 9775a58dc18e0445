//! The parser: the text of a schema file to its blocks. After a mistake it goes on with the next line.
//!
//! * `values`: attributes, and the values of arguments

mod values;

use crate::mistake::{At, Collected};
use crate::scan::{Token, TokenKind, scan};
use crate::syntax::{Arity, Block, BlockKind, Line, Name, Setting, TypeReference};

/// The blocks of a file.
pub(crate) fn parse(file: usize, text: &str, mistakes: &mut Collected) -> Vec<Block> {
    let tokens = scan(file, text, mistakes);
    let mut parser = Parser { tokens, position: 0, mistakes };
    let mut blocks = Vec::new();
    let mut documentation = Vec::new();
    loop {
        match parser.next() {
            Token { kind: TokenKind::End, .. } => return blocks,
            Token { kind: TokenKind::NewLine, .. } => {}
            Token { kind: TokenKind::Documentation(text), .. } => documentation.push(text),
            Token { kind: TokenKind::Word(word), at } => {
                let own = joined(&std::mem::take(&mut documentation));
                match parser.block(&Name { text: word, at }, own) {
                    Ok(block) => blocks.push(block),
                    Err(Failed) => parser.skip_line(),
                }
            }
            Token { at, .. } => {
                documentation.clear();
                parser.mistakes.add(at, BLOCKS);
                parser.skip_line();
            }
        }
    }
}

const BLOCKS: &str =
    "a block begins with `model`, `view`, `enum`, `datasource` or `generator` and its name.";

/// A line that cannot be read; the mistake is collected.
struct Failed;

struct Parser<'m> {
    tokens: Vec<Token>,
    position: usize,
    mistakes: &'m mut Collected,
}

/// The end of every list of tokens.
const END: Token = Token { at: At { file: 0, offset: 0 }, kind: TokenKind::End };

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.position).or(self.tokens.last()).unwrap_or(&END)
    }

    /// The end stays.
    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    fn is_sign(&self, sign: char) -> bool {
        self.peek().kind == TokenKind::Sign(sign)
    }

    /// Takes the sign, if it is next.
    fn take(&mut self, sign: char) -> bool {
        let is_next = self.is_sign(sign);
        if is_next {
            self.position += 1;
        }
        is_next
    }

    fn fail<T>(&mut self, message: &str) -> Result<T, Failed> {
        let at = self.peek().at;
        self.mistakes.add(at, message);
        Err(Failed)
    }

    /// Goes to the end of the line, before the sign that closes a block.
    fn skip_line(&mut self) {
        while !matches!(self.peek().kind, TokenKind::NewLine | TokenKind::End) && !self.is_sign('}')
        {
            self.position += 1;
        }
    }

    fn skip_new_lines(&mut self) {
        while self.peek().kind == TokenKind::NewLine {
            self.position += 1;
        }
    }

    fn block(&mut self, word: &Name, documentation: Option<String>) -> Result<Block, Failed> {
        let known = BlockKind::ALL.iter().find(|(known, _)| **known == word.text);
        let Some((_, kind)) = known.copied() else {
            self.mistakes.add(word.at, format!("`{}` begins no block: {BLOCKS}", word.text));
            self.skip_block();
            return Err(Failed);
        };
        let TokenKind::Word(name) = self.peek().kind.clone() else {
            return self.fail("the block has no name: write it before `{`.");
        };
        let name = Name { text: name, at: self.next().at };
        if kind == BlockKind::Type && self.is_sign('=') {
            self.mistakes.add(
                word.at,
                "aliases of types were removed from Prisma 2: write the type at each field.",
            );
            return Err(Failed);
        }
        if !self.take('{') {
            return self.fail("write `{` after the name of the block.");
        }
        let mut block = Block {
            kind,
            name,
            documentation,
            lines: Vec::new(),
            attributes: Vec::new(),
            settings: Vec::new(),
        };
        self.members(&mut block);
        Ok(block)
    }

    /// Skips a block of an unknown kind.
    fn skip_block(&mut self) {
        self.skip_line();
        while !self.is_sign('}') && self.peek().kind != TokenKind::End {
            // A block that begins a line is not in this one.
            if self.peek().kind == TokenKind::NewLine && self.begins_block() {
                return;
            }
            self.position += 1;
        }
        self.take('}');
    }

    /// True if the next line begins with the word of a block, a name and `{`.
    fn begins_block(&self) -> bool {
        let token = |ahead: usize| self.tokens.get(self.position + ahead).map(|one| &one.kind);
        let is_word = |kind: Option<&TokenKind>| match kind {
            Some(TokenKind::Word(word)) => BlockKind::ALL.iter().any(|(known, _)| known == word),
            _ => false,
        };
        is_word(token(1))
            && matches!(token(2), Some(TokenKind::Word(_)))
            && token(3) == Some(&TokenKind::Sign('{'))
    }

    fn members(&mut self, block: &mut Block) {
        let mut documentation = Vec::new();
        loop {
            if self.peek().kind == TokenKind::NewLine && self.begins_block() {
                self.mistakes.add(block.name.at, "the block has no end: write `}`.");
                return;
            }
            let token = self.next();
            let read = match token.kind {
                TokenKind::End => {
                    self.mistakes.add(block.name.at, "the block has no end: write `}`.");
                    return;
                }
                TokenKind::Sign('}') => return,
                TokenKind::NewLine => Ok(()),
                TokenKind::Documentation(text) => {
                    documentation.push(text);
                    Ok(())
                }
                TokenKind::DoubleAt => self.attribute().and_then(|attribute| {
                    block.attributes.push(attribute);
                    self.end_of_line().map(|_| ())
                }),
                TokenKind::Word(word) => {
                    let name = Name { text: word, at: token.at };
                    let own = std::mem::take(&mut documentation);
                    match block.kind.has_settings() {
                        true => self.setting(name).map(|setting| block.settings.push(setting)),
                        false => {
                            self.line(block.kind, name, own).map(|line| block.lines.push(line))
                        }
                    }
                }
                _ => {
                    let message = "a line begins with the name of a field, or with `@@`.";
                    self.mistakes.add(token.at, message);
                    Err(Failed)
                }
            };
            if read.is_err() {
                self.skip_line();
            }
        }
    }

    fn setting(&mut self, name: Name) -> Result<Setting, Failed> {
        if !self.take('=') {
            return self.fail("write `=` and the value of the setting.");
        }
        let value = self.value(0)?;
        self.end_of_line()?;
        Ok(Setting { name, value })
    }

    fn line(
        &mut self,
        kind: BlockKind,
        name: Name,
        mut documentation: Vec<String>,
    ) -> Result<Line, Failed> {
        let r#type = match kind {
            BlockKind::Enum => None,
            _ => Some(self.type_reference()?),
        };
        let mut attributes = Vec::new();
        while self.take('@') {
            attributes.push(self.attribute()?);
        }
        documentation.extend(self.end_of_line()?);
        Ok(Line { name, r#type, attributes, documentation: joined(&documentation) })
    }

    fn type_reference(&mut self) -> Result<TypeReference, Failed> {
        match &self.peek().kind {
            TokenKind::Sign(':') => {
                return self.fail("Prisma ORM has no `:` after a field: remove it.");
            }
            TokenKind::Sign('[') => {
                return self.fail("write a list as `Type[]`.");
            }
            _ => {}
        }
        let token = self.peek().clone();
        let TokenKind::Word(word) = token.kind else {
            return self.fail("the field has no type: write it after the name.");
        };
        self.position += 1;
        let name = Name { text: word, at: token.at };
        let mut unsupported = None;
        if name.text == "Unsupported" && self.take('(') {
            match self.next().kind {
                TokenKind::Text(text) if self.take(')') => unsupported = Some(text),
                _ => {
                    self.mistakes.add(
                        name.at,
                        "write the type of the database as in Unsupported(\"circle\").",
                    );
                    return Err(Failed);
                }
            }
        }
        let mut arity = Arity::Required;
        if self.take('[') {
            if !self.take(']') {
                return self.fail("write `]` after `[`.");
            }
            arity = Arity::List;
        }
        if self.is_sign('!') {
            return self.fail("a field is required without a sign: remove the `!`.");
        }
        if self.is_sign('?') {
            if arity == Arity::List {
                return self.fail("a list is never null: remove the `?`.");
            }
            self.position += 1;
            arity = Arity::Optional;
        }
        Ok(TypeReference { name, unsupported, arity })
    }

    /// The documentation at the end of a line.
    fn end_of_line(&mut self) -> Result<Option<String>, Failed> {
        let mut documentation = None;
        if let TokenKind::Documentation(text) = self.peek().kind.clone() {
            self.position += 1;
            documentation = Some(text);
        }
        match &self.peek().kind {
            TokenKind::NewLine | TokenKind::End | TokenKind::Sign('}') => Ok(documentation),
            _ => self.fail("this belongs to no attribute: begin a line of its own."),
        }
    }
}

/// The lines of a documentation.
fn joined(lines: &[String]) -> Option<String> {
    let text = lines.join("\n");
    (!text.trim().is_empty()).then(|| text.trim().to_owned())
}
