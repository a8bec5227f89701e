// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The outer language of .pbcc files: transforms, their headers, and the heads of rules.
//
//   transform Smooth from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
//
// What stands between the braces of a rule (and of a raw block) is C++ and is no business of this grammar: the
// token reader (compiler/syntax/token_reader.h) hands it over as one BODY or RAW token. BROKEN stands for text
// about which the reader has already complained. Language reference 1.3 is the model; beyond it: an element type
// after a matrix (`A[n] : float`), the flag `fast`, `old` before an input, a library's entry (`gpu cublas.gemm(c, a, b)`), rule parts in any order, an optional `from(...)`, `;` after
// rules and forward declarations, signs as operators, schedules.
//
// A schedule stands among the rules of a transform, or in a file of its own (`scheduleFile`); the steps alone are
// what `pbc opt --script` reads (`scriptFile`). Adaptors have files of their own (`adaptorFile`), whose steps are those of schedules. The token reader decides where a schedule begins: everywhere else
// `schedule`, `for` and `on` are names, and in the steps of a schedule all words are names.
grammar Pbcc;

tokens { BODY, RAW, BROKEN, STEPS, END_STEPS, WITH, ADAPTOR, BAR, CONDITION, STRUCTURE, LET, LET_VALUE, OLD }

program : (RAW | unit)* EOF ;

unit
  : clause*
    ( TRANSFORM name clause* (LBRACE (ruleDecl | scheduleDecl | structureDecl | letDecl)* RBRACE SEMI* | SEMI+)
    | FUNCTION name clause* BODY (OR BODY)* SEMI*
    )
  ;

// What begins a unit; used alone only when a unit has errors and is read piece by piece.
unitHead : (TRANSFORM | FUNCTION) name ;

clause
  : MAIN                                           # mainClause
  | MEMOIZED                                       # memoizedClause
  | FROM matrix (COMMA matrix)*                    # fromClause
  | TO matrix (COMMA matrix)*                      # toClause
  | (THROUGH | USING) matrix (COMMA matrix)*       # throughClause
  | TEMPLATE LESS? templateArgument (COMMA templateArgument)* GREATER? # templateClause
  | (PARAM | PARAMETER) (DOUBLE | FLOATING)? paramName (COMMA paramName)* # paramClause
  | ACCURACY_METRIC name                           # metricClause
  | ACCURACY_BINS number (COMMA number)*           # binsClause
  | (GENERATOR | GEN) name                         # generatorClause
  | INPUT_FEATURE name                             # featureClause
  | SCALED_BY name                                 # scaledByClause
  | (TUNABLE | CONFIG | ACCURACY_VARIABLE) item    # itemClause
  ;

paramName : name (ASSIGN number)? ;
templateArgument : name LPAREN integer COMMA integer RPAREN ;
item : modifier* itemName (LPAREN (number (COMMA number)*)? RPAREN)? ;
modifier
  : DOUBLE | FLOATING | SIZESPECIFIC | ACCURACYHINT
  | ARRAY LPAREN INT RPAREN
  | (INITIAL | MIN | MAX) LPAREN number RPAREN
  ;
number : (PLUS | MINUS)? (INT | FLOAT | CXX_NUMBER) ;
integer : (PLUS | MINUS)? INT ;

matrix : name version? (LBRACKET expr (COMMA expr)* RBRACKET)? (COLON element)? ;
element : name | DOUBLE | FLOATING ;
version : LESS expr ((DOTDOT | ELLIPSIS) expr)? GREATER ;

ruleDecl : flag* outputs rulePart* BODY SEMI* ;
flag
  : PRIMARY | SECONDARY | ROTATABLE | FAST
  | PRIORITY LPAREN expr RPAREN
  | RECURSIVE (LPAREN expr RPAREN)?
  | DUPLICATE LPAREN name COMMA integer COMMA integer RPAREN
  | RULE name
  ;
outputs : TO LPAREN (binding (COMMA binding)*)? RPAREN | OLD? region accumulation? ; // `old` of an output is refused later, in words that say why
accumulation : ADD_ASSIGN | SUBTRACT_ASSIGN | MULTIPLY_ASSIGN ; // `S.cell(y) += from(A.cell(x, y) a) { return a; }`
rulePart
  : FROM LPAREN (binding (COMMA binding)*)? RPAREN          # inputPart
  | (THROUGH | USING) LPAREN matrix (COMMA matrix)* RPAREN  # localPart
  | WHERE condition                                         # wherePart
  | GPU name DOT name LPAREN (name (COMMA name)*)? RPAREN   # gpuPart
  ;
binding : OLD? region name (ASSIGN expr)? ; // `old A.cell(i) a`: the token reader knows the word by what follows
region : name version? (DOT accessor LPAREN (expr (COMMA expr)*)? RPAREN)? ;
accessor : name ;
condition : conjunction (OR conjunction)* ;
conjunction : literal (AND literal)* ;
literal : NOT literal | LPAREN condition RPAREN | relation ;
relation : expr (ASSIGN | EQUAL | NOT_EQUAL | LESS | GREATER | LESS_EQUAL | GREATER_EQUAL) expr ;

// `structure A is symmetric lower, banded(1, 2);`: the token reader knows it by the word behind the name.
structureDecl : STRUCTURE name name structureKind (COMMA structureKind)* SEMI+ ;
structureKind : name+ (LPAREN expr (COMMA expr)* RPAREN)? ;

// `let c = exp(-a);`: the value is C++ and one token, up to the semicolon. `let` is a name where no other name follows.
letDecl : LET name (COLON element)? ASSIGN LET_VALUE SEMI+ ;

scheduleFile : scheduleDecl* EOF ;
scriptFile : steps EOF ;
adaptorFile : adaptorDecl* EOF ;
adaptationFile : adaptation EOF ;

scheduleDecl
  : SCHEDULE word FOR (word (DOT word)? | STAR DOT word) (PLUS word)* (ON word)? STEPS steps END_STEPS SEMI*
  ;
steps : step? (SEMI step?)* ;
step : (results ASSIGN)? call (WITH stepParameter (COMMA stepParameter)*)? ;
stepParameter : ID ASSIGN (INT | ID LPAREN INT (COMMA INT)* RPAREN) ; // the second ID is `tune`
results : LPAREN ID (COMMA ID)* RPAREN ;
call : ID LPAREN (SEMI? argument ((COMMA | SEMI) argument)*)? RPAREN ;
argument : value (ASSIGN value)? ; // the first of two is a name
value : sum ((EQUAL | NOT_EQUAL | LESS | GREATER | LESS_EQUAL | GREATER_EQUAL) sum)? ;
sum : (PLUS | MINUS)? term ((PLUS | MINUS) term)* ;
term : factor (STAR factor)* ;
factor : INT | ID ;
word : ID | FOR | ON ;

adaptorDecl : ADAPTOR ID LPAREN ID (COMMA ID)* RPAREN COLON adaptorRule (BAR adaptorRule)* ;
adaptorRule : (step SEMI)* (LBRACE CONDITION (COMMA CONDITION)* RBRACE)? ; // CONDITION: `cond(`, an expression of C++, and `)`
adaptation : ID LPAREN value (COMMA value)* RPAREN ;

expr
  : exprName
  | INT
  | FLOAT
  | LPAREN expr RPAREN
  | <assoc=right> expr POWER expr
  | (PLUS | MINUS) expr
  | expr (STAR | SLASH) expr
  | expr (PLUS | MINUS) expr
  ;

// Keywords are contextual. Inside an expression a keyword can only be a name; where something is declared, the
// words that begin the next clause are kept, so that a forgotten name is noticed at its place.
exprName : name | FROM | TO | THROUGH | USING | WHERE | TRANSFORM | FUNCTION | DOUBLE | FLOATING ;
name
  : itemName | MAIN | MEMOIZED | TEMPLATE | PARAM | PARAMETER | ACCURACY_METRIC | ACCURACY_BINS | GENERATOR | GEN
  | INPUT_FEATURE | SCALED_BY | TUNABLE | CONFIG | ACCURACY_VARIABLE | SIZESPECIFIC | ACCURACYHINT | ARRAY
  | INITIAL | MIN | MAX
  ;
itemName : ID | PRIMARY | SECONDARY | ROTATABLE | FAST | PRIORITY | RECURSIVE | DUPLICATE | RULE | GPU ;

TRANSFORM : 'transform' ;
FUNCTION : 'function' ;
MAIN : 'main' ;
MEMOIZED : 'memoized' ;
FROM : 'from' ;
TO : 'to' ;
THROUGH : 'through' ;
USING : 'using' ;
TEMPLATE : 'template' ;
PARAM : 'param' ;
PARAMETER : 'parameter' ;
ACCURACY_METRIC : 'accuracy_metric' ;
ACCURACY_BINS : 'accuracy_bins' ;
ACCURACY_VARIABLE : 'accuracy_variable' ;
GENERATOR : 'generator' ;
GEN : 'gen' ;
INPUT_FEATURE : 'input_feature' ;
SCALED_BY : 'scaled_by' ;
TUNABLE : 'tunable' ;
CONFIG : 'config' ;
DOUBLE : 'double' ;
FLOATING : 'float' ;
SIZESPECIFIC : 'sizespecific' ;
ACCURACYHINT : 'accuracyhint' ;
ARRAY : 'array' ;
INITIAL : 'initial' ;
MIN : 'min' ;
MAX : 'max' ;
PRIMARY : 'primary' ;
SECONDARY : 'secondary' ;
PRIORITY : 'priority' ;
ROTATABLE : 'rotatable' ;
RECURSIVE : 'recursive' ;
DUPLICATE : 'duplicate' ;
RULE : 'rule' ;
FAST : 'fast' ;
GPU : 'gpu' ;
SCHEDULE : 'schedule' ;
FOR : 'for' ;
ON : 'on' ;
WHERE : 'where' ;
AND : 'and' | '&&' ;
OR : 'or' | '||' ;
NOT : 'not' | '!' ;

LBRACE : '{' ;
RBRACE : '}' ;
RAW_OPEN : '%{' ;
LPAREN : '(' ;
RPAREN : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
COMMA : ',' ;
SEMI : ';' ;
COLON : ':' ;
DOT : '.' ;
DOTDOT : '..' ;
ELLIPSIS : '...' ;
ASSIGN : '=' ;
ADD_ASSIGN : '+=' ;
SUBTRACT_ASSIGN : '-=' ;
MULTIPLY_ASSIGN : '*=' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
LESS_EQUAL : '<=' ;
GREATER_EQUAL : '>=' ;
LESS : '<' ;
GREATER : '>' ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
POWER : '^' ;

// In `X<1..n>` the point after 1 is not the number's.
FLOAT : [0-9]* '.' [0-9]+ EXPONENT? | [0-9]+ '.'? EXPONENT | [0-9]+ '.' {_input->LA(1) != '.'}? ;
INT : [0-9]+ ;
// Numbers as only C++ writes them: 0x1F, 0b101, 1'000'000, 2.5f, 10L.
CXX_NUMBER
  : '0' [xXbB] [0-9A-Fa-f']+ [uUlL]*
  | [0-9]+ ('\'' [0-9]+)+ ('.' [0-9]+)? EXPONENT? [uUlLfF]*
  | ([0-9]* '.' [0-9]+ | [0-9]+ '.'?) EXPONENT? [uUlLfF]+
  ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;
ID : [A-Za-z_] [A-Za-z0-9_]* ;

SPACE : [ \t\r\n\f\u000B]+ -> skip ;
LINE_COMMENT : '//' ~[\n]* -> skip ;
BLOCK_COMMENT : '/*' .*? '*/' -> skip ;
UNEXPECTED : . ;
