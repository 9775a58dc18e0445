//! Expressions.

use std::rc::Rc;

use super::super::lexer::{Part, TokenKind};
use super::super::syntax::{Argument, Case, Enumerator, Expression, Pattern, Statement, TextPart};
use super::{Parsed, Parser, parse_expression};

/// The name that stands for the value of a placeholder, `_`.
const PLACEHOLDER: &str = "_";

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        if self.is("try") || self.is("do") || self.is("while") || self.is("return") {
            return Err("not read".into());
        }
        if self.is_lambda() {
            return self.lambda();
        }
        if self.is("if") {
            return self.if_expression();
        }
        if self.is("for") {
            return self.for_expression();
        }
        if self.take("throw") {
            let value = self.expression()?;
            let argument = Argument { name: None, value, is_spread: false };
            let throw = Expression::Name("throw".into());
            return Ok(Expression::Call(Box::new(throw), vec![argument]));
        }
        let expression = self.infix(0)?;
        if self.is("=") {
            self.advance();
            let value = self.expression()?;
            return Ok(Expression::Assign(Box::new(expression), Box::new(value)));
        }
        if self.take("match") {
            self.expect("{")?;
            let cases = self.cases()?;
            let matched = Expression::Match(Box::new(expression), Rc::new(cases));
            return self.members(matched);
        }
        Ok(expression)
    }

    /// `name =>`, `_ =>`, `implicit name =>`, or `(…) =>`.
    fn is_lambda(&self) -> bool {
        if self.is("implicit") {
            return true;
        }
        if self.token().name().is_some() {
            return self.ahead(1).is("=>");
        }
        if !self.is("(") {
            return false;
        }
        let mut depth = 0_usize;
        let mut ahead = 0;
        loop {
            let token = self.ahead(ahead);
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
                if depth == 0 {
                    return self.ahead(ahead + 1).is("=>");
                }
            } else if matches!(token.kind, TokenKind::End) || token.is("{") || token.is("}") {
                return false;
            }
            ahead += 1;
        }
    }

    fn lambda_parameters(&mut self) -> Parsed<Vec<Pattern>> {
        self.take("implicit");
        if !self.is("(") {
            return Ok(vec![self.pattern()?]);
        }
        self.within(false, |parser| {
            parser.advance();
            let mut patterns = Vec::new();
            while !parser.take(")") {
                patterns.push(parser.pattern()?);
                parser.take(",");
            }
            Ok(patterns)
        })
    }

    fn lambda(&mut self) -> Parsed<Expression> {
        let parameters = self.lambda_parameters()?;
        self.expect("=>")?;
        let body = self.expression()?;
        Ok(Expression::Lambda(Rc::new((parameters, body))))
    }

    fn if_expression(&mut self) -> Parsed<Expression> {
        self.advance();
        let condition = self.within(false, |parser| {
            parser.expect("(")?;
            let condition = parser.expression()?;
            parser.expect(")")?;
            Ok(condition)
        })?;
        let then = self.expression()?;
        let otherwise = if self.take("else") { Some(self.expression()?) } else { None };
        Ok(Expression::If(Box::new((condition, then, otherwise))))
    }

    fn for_expression(&mut self) -> Parsed<Expression> {
        self.advance();
        let close = if self.is("(") { ")" } else { "}" };
        self.advance();
        let enumerators = self.within(close == "}", |parser| {
            let mut enumerators = Vec::new();
            while !parser.take(close) {
                if parser.take(";") {
                    continue;
                }
                if parser.take("if") {
                    enumerators.push(Enumerator::Guard(parser.infix(0)?));
                    continue;
                }
                let pattern = parser.pattern()?;
                let is_generator = parser.take("<-");
                if !is_generator {
                    parser.expect("=")?;
                }
                let value = parser.expression()?;
                enumerators.push(if is_generator {
                    Enumerator::Generator(pattern, value)
                } else {
                    Enumerator::Definition(pattern, value)
                });
            }
            Ok(enumerators)
        })?;
        let yields = self.take("yield");
        let body = self.expression()?;
        Ok(Expression::For(enumerators, Box::new(body), yields))
    }

    /// `left operator right`, with the precedence of the operators' first characters.
    fn infix(&mut self, least: u8) -> Parsed<Expression> {
        let mut left = self.prefixed()?;
        loop {
            let operator = match &self.token().kind {
                TokenKind::Name(name) if !is_reserved(name) => name.clone(),
                TokenKind::Sign(sign) if is_operator(sign) => sign.clone(),
                _ => return Ok(left),
            };
            // A line that begins with an operator or a name is another statement.
            if self.has_lines && self.token().starts_line {
                return Ok(left);
            }
            let precedence = precedence(&operator);
            if precedence < least {
                return Ok(left);
            }
            self.advance();
            if self.is("[") {
                self.advance_group();
            }
            if [")", "}", ",", ";", "]"].iter().any(|close| self.is(close)) {
                // A postfix operator.
                left = Expression::Member(Box::new(left), operator);
                continue;
            }
            let right = if self.is_lambda() { self.lambda()? } else { self.infix(precedence + 1)? };
            left = Expression::Infix(Box::new(left), operator, Box::new(right));
        }
    }

    fn prefixed(&mut self) -> Parsed<Expression> {
        if self.take("!") {
            return Ok(Expression::Not(Box::new(self.prefixed()?)));
        }
        if self.take("-") {
            return Ok(match self.prefixed()? {
                Expression::Int(value) => Expression::Int(-value),
                Expression::Float(value) => Expression::Float(-value),
                other => Expression::Negative(Box::new(other)),
            });
        }
        let simple = self.simple()?;
        self.members(simple)
    }

    fn simple(&mut self) -> Parsed<Expression> {
        if self.is("{") {
            return self.braces();
        }
        if self.is("(") {
            return self.parentheses();
        }
        if self.take("new") {
            let mut name = self.expect_name()?;
            while self.take(".") {
                name = self.expect_name()?;
            }
            while self.is("[") {
                self.advance_group();
            }
            let mut arguments = Vec::new();
            while self.is("(") {
                arguments.extend(self.arguments()?);
            }
            if self.is("{") || self.is("with") {
                return Err("an anonymous class is not read".into());
            }
            return Ok(Expression::New(name, arguments));
        }
        match self.advance().kind {
            TokenKind::Int(value) => Ok(Expression::Int(value)),
            TokenKind::Float(value) => Ok(Expression::Float(value)),
            TokenKind::Text(text) => Ok(Expression::Text(text.into())),
            TokenKind::Interpolated(parts) => {
                let parts = parts.into_iter().map(|part| match part {
                    Part::Text(text) => Ok(TextPart::Text(text)),
                    Part::Source(text) => parse_expression(&text).map(TextPart::Value),
                });
                Ok(Expression::Interpolated(parts.collect::<Parsed<_>>()?))
            }
            TokenKind::Symbol(name) => Ok(Expression::Text(name.into())),
            TokenKind::Name(name) => match &*name {
                "true" | "false" => Ok(Expression::Bool(name == "true")),
                "null" => Ok(Expression::Null),
                _ if is_reserved(&name) => Err(format!("{name} is not an expression")),
                _ => Ok(Expression::Name(name)),
            },
            TokenKind::Sign(_) | TokenKind::End => Err("an expression expected".into()),
        }
    }

    /// `.name`, types, arguments and a block after an expression.
    fn members(&mut self, mut expression: Expression) -> Parsed<Expression> {
        loop {
            if self.is(".") {
                self.advance();
                let name = self.expect_name()?;
                expression = Expression::Member(Box::new(expression), name);
            } else if self.is("[") {
                self.advance_group();
            } else if self.has_lines && self.token().starts_line {
                return Ok(expression);
            } else if self.is("(") {
                let arguments = self.arguments()?;
                expression = Expression::Call(Box::new(expression), arguments);
            } else if self.is("{") && is_callable(&expression) {
                let value = self.braces()?;
                let argument = Argument { name: None, value, is_spread: false };
                expression = Expression::Call(Box::new(expression), vec![argument]);
            } else if self.is("_") {
                // A method as a function.
                self.advance();
            } else {
                return Ok(expression);
            }
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.within(false, |parser| {
            parser.advance();
            let mut arguments = Vec::new();
            while !parser.take(")") {
                let is_named = parser.token().name().is_some() && parser.ahead(1).is("=");
                let name = if is_named {
                    let name = parser.expect_name()?;
                    parser.advance();
                    Some(name)
                } else {
                    None
                };
                let value = parser.argument_value()?;
                let is_spread = parser.take(":");
                if is_spread {
                    parser.expect("_")?;
                    parser.expect("*")?;
                }
                arguments.push(Argument { name, value, is_spread });
                if !parser.take(",") && !parser.is(")") {
                    return Err("an argument expected".into());
                }
            }
            Ok(arguments)
        })
    }

    /// An argument; placeholders make a function of it.
    fn argument_value(&mut self) -> Parsed<Expression> {
        let value = self.expression()?;
        if matches!(&value, Expression::Name(name) if name == PLACEHOLDER) {
            return Ok(value);
        }
        Ok(if has_placeholder(&value) {
            Expression::Lambda(Rc::new((vec![Pattern::Name(PLACEHOLDER.into())], value)))
        } else {
            value
        })
    }

    fn parentheses(&mut self) -> Parsed<Expression> {
        self.within(false, |parser| {
            parser.advance();
            let mut items = Vec::new();
            while !parser.take(")") {
                items.push(parser.expression()?);
                if !parser.take(",") && !parser.is(")") {
                    return Err("`)` expected".into());
                }
            }
            Ok(match items.len() {
                0 => Expression::Unit,
                1 => items.remove(0),
                _ => Expression::Tuple(items),
            })
        })
    }

    fn braces(&mut self) -> Parsed<Expression> {
        self.expect("{")?;
        if self.is("case") && !self.ahead(1).is("class") && !self.ahead(1).is("object") {
            return Ok(Expression::Cases(Rc::new(self.cases()?)));
        }
        if self.is_lambda() {
            let parameters = self.lambda_parameters()?;
            self.expect("=>")?;
            let body = Expression::Block(self.statements("}"));
            self.expect("}")?;
            return Ok(Expression::Lambda(Rc::new((parameters, body))));
        }
        let statements = self.statements("}");
        self.expect("}")?;
        Ok(Expression::Block(statements))
    }

    /// Cases, and the brace that closes them.
    fn cases(&mut self) -> Parsed<Vec<Case>> {
        let mut cases = Vec::new();
        while !self.take("}") {
            self.expect("case")?;
            let pattern = self.pattern()?;
            let guard = if self.take("if") { Some(self.infix(0)?) } else { None };
            self.expect("=>")?;
            let body: Vec<Statement> = self.statements("case");
            cases.push(Case { pattern, guard, body: Expression::Block(body) });
        }
        Ok(cases)
    }
}

fn is_reserved(name: &str) -> bool {
    const RESERVED: [&str; 21] = [
        "match", "else", "yield", "with", "extends", "case", "if", "for", "val", "var", "def",
        "class", "object", "trait", "catch", "finally", "try", "while", "do", "return", "import",
    ];
    RESERVED.contains(&name)
}

fn is_operator(sign: &str) -> bool {
    !["=", "=>", "<-", ":", "(", ")", "[", "]", "{", "}", ",", ";", ".", "@", "#"].contains(&sign)
}

/// The precedence of an operator: names bind least.
fn precedence(operator: &str) -> u8 {
    match operator.as_bytes().first() {
        Some(b'|') => 1,
        Some(b'^') => 2,
        Some(b'&') => 3,
        Some(b'=' | b'!') => 4,
        Some(b'<' | b'>') => 5,
        Some(b':') => 6,
        Some(b'+' | b'-') => 7,
        Some(b'*' | b'/' | b'%') => 8,
        Some(byte) if byte.is_ascii_punctuation() && *byte != b'_' => 9,
        _ => 0,
    }
}

/// What a block may follow as its argument.
fn is_callable(expression: &Expression) -> bool {
    matches!(expression, Expression::Name(_) | Expression::Member(..) | Expression::Call(..))
}

/// A placeholder stands in it, outside of the functions that are arguments.
fn has_placeholder(expression: &Expression) -> bool {
    match expression {
        Expression::Name(name) => name == PLACEHOLDER,
        Expression::Member(of, _) | Expression::Not(of) | Expression::Negative(of) => {
            has_placeholder(of)
        }
        Expression::Call(of, arguments) => {
            has_placeholder(of) || arguments.iter().any(|one| has_placeholder(&one.value))
        }
        Expression::Infix(left, _, right) => has_placeholder(left) || has_placeholder(right),
        Expression::Match(of, _) => has_placeholder(of),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_expression;

    fn check(text: &str, expected: &str) {
        let shown = format!("{:?}", parse_expression(text).expect("tokens"));
        assert_eq!(shown, expected);
    }

    #[test]
    fn tests_are_infix_calls() {
        check(
            r#""A" should "b" taggedAs (T) in { c }"#,
            "Infix(Infix(Infix(Text(\"A\"), \"should\", Text(\"b\")), \"taggedAs\", Name(\"T\")), \"in\", \
             Block([Expression(Name(\"c\"))]))",
        );
        check(
            "a.f.should(be(1 + 2 * 3))",
            "Call(Member(Member(Name(\"a\"), \"f\"), \"should\"), [Argument { name: None, value: \
             Call(Name(\"be\"), [Argument { name: None, value: Infix(Int(1), \"+\", Infix(Int(2), \
             \"*\", Int(3))), is_spread: false }]), is_spread: false }])",
        );
    }

    #[test]
    fn lines_end_statements_but_not_within_parentheses() {
        check("a\n.b", "Member(Name(\"a\"), \"b\")");
        check("a\nb", "Block([Expression(Name(\"a\")), Expression(Name(\"b\"))])");
        check("(a\n+ b)", "Infix(Name(\"a\"), \"+\", Name(\"b\"))");
        check("a +\nb", "Infix(Name(\"a\"), \"+\", Name(\"b\"))");
    }

    #[test]
    fn functions_have_patterns_or_placeholders() {
        check("{ x => x }", "Lambda(([Name(\"x\")], Block([Expression(Name(\"x\"))])))");
        check(
            "{ case (a, 1) if b => c }",
            "Cases([Case { pattern: Tuple([Name(\"a\"), Value(Int(1))]), guard: Some(Name(\"b\")), \
             body: Block([Expression(Name(\"c\"))]) }])",
        );
        check(
            "f(_.a)",
            "Call(Name(\"f\"), [Argument { name: None, value: Lambda(([Name(\"_\")], \
             Member(Name(\"_\"), \"a\"))), is_spread: false }])",
        );
    }
}
