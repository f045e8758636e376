/** Encodes and decodes answers with functions composed once per schema. The library's codecs also check each value, at a cost. */
import { DateTime, Schema, SchemaAST } from "effect"

/** Converts a value; null where the converted value is the value itself. */
type Conversion = ((value: unknown) => unknown) | null

/** The type of the values that a conversion takes; null where it is not known. */
type Kind = "object" | "string" | "other" | null

interface Direction {
  /** Converts what this file does not know. */
  readonly byLibrary: (ast: SchemaAST.AST) => Conversion
  readonly instant: (value: unknown) => unknown
  /** The side of a transformation that is given. */
  readonly given: (ast: SchemaAST.AST) => SchemaAST.AST
  readonly givenInstant: Kind
  /** Set if a value may have fields that the schema does not name. */
  readonly strips: boolean
}

type Fields = Readonly<Record<PropertyKey, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** Annotations make new nodes, so the declaration is known by its name. */
const isInstant = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Declaration" && ast.annotations[SchemaAST.IdentifierAnnotationId] === "DateTimeUtcFromSelf"

const isKind = { object: isObject, string: (value: unknown) => typeof value === "string" }

const kindOf = (ast: SchemaAST.AST, direction: Direction): Kind => {
  switch (ast._tag) {
    case "TypeLiteral":
    case "TupleType":
      return "object"
    case "Refinement":
      return kindOf(ast.from, direction)
    case "Transformation":
      return isInstant(ast.to) ? direction.givenInstant : kindOf(direction.given(ast), direction)
    case "Declaration":
      return isInstant(ast) ? "object" : null
    case "Suspend":
    case "Union":
    case "UnknownKeyword":
    case "AnyKeyword":
    case "ObjectKeyword":
      return null
    case "StringKeyword":
    case "TemplateLiteral":
      return "string"
    case "Literal":
      return typeof ast.literal === "string" ? "string" : "other"
    case "Enums":
      return ast.enums.some(([, value]) => typeof value === "string") ? "string" : "other"
    default:
      return "other"
  }
}

const ofRecord = (convert: Conversion): Conversion =>
  convert === null
    ? null
    : (value) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convert(inner)])) : value

const compiler = (direction: Direction) => {
  const { byLibrary, instant, strips } = direction

  /** Only the fields of the schema are copied. */
  const ofStruct = (ast: SchemaAST.TypeLiteral): Conversion => {
    const [index, another] = ast.indexSignatures
    if (index !== undefined) {
      return another !== undefined || ast.propertySignatures.length > 0 || conversionOf(index.parameter) !== null
        ? byLibrary(ast)
        : ofRecord(conversionOf(index.type))
    }
    const fields = ast.propertySignatures.map(({ name, type }) => ({ name, convert: conversionOf(type) }))
    if (!strips && fields.every(({ convert }) => convert === null)) return null
    return (value) => {
      if (!isObject(value)) return value
      const converted: Record<PropertyKey, unknown> = {}
      for (const { convert, name } of fields) {
        const inner = value[name]
        if (inner !== undefined) converted[name] = convert === null ? inner : convert(inner)
      }
      return converted
    }
  }

  const ofList = (ast: SchemaAST.TupleType): Conversion => {
    const [rest] = ast.rest
    if (ast.elements.length > 0 || ast.rest.length !== 1 || rest === undefined) return byLibrary(ast)
    const convert = conversionOf(rest.type)
    return convert === null ? null : (value) => Array.isArray(value) ? value.map((inner) => convert(inner)) : value
  }

  /** A union whose members all stay as they are, or of one that is converted and others of another kind. */
  const ofUnion = (ast: SchemaAST.Union): Conversion => {
    const members = ast.types.map((type) => ({ convert: conversionOf(type), kind: kindOf(type, direction) }))
    const [converted, another] = members.filter(({ convert }) => convert !== null)
    if (converted === undefined) return null
    const { convert, kind } = converted
    const apart = members.every((one) => one === converted || (one.kind !== null && one.kind !== kind))
    if (convert === null || another !== undefined || !apart || kind === null || kind === "other") return byLibrary(ast)
    const fits = isKind[kind]
    return (value) => fits(value) ? convert(value) : value
  }

  const conversionOf = (ast: SchemaAST.AST): Conversion => {
    switch (ast._tag) {
      case "TypeLiteral":
        return ofStruct(ast)
      case "TupleType":
        return ofList(ast)
      case "Union":
        return ofUnion(ast)
      case "Refinement":
        return conversionOf(ast.from)
      case "Transformation":
        return isInstant(ast.to) && ast.from._tag === "StringKeyword" ? instant : byLibrary(ast)
      case "Declaration":
      case "Suspend":
        return byLibrary(ast)
      default:
        return null
    }
  }

  return (ast: SchemaAST.AST): (value: unknown) => unknown => conversionOf(ast) ?? ((value) => value)
}

/** The encoder of a schema's values. It expects a value of the schema's type. */
export const compiledEncoder = compiler({
  byLibrary: (ast) => Schema.encodeUnknownSync(Schema.make<unknown, unknown, never>(ast)),
  instant: (value) => DateTime.isDateTime(value) ? DateTime.formatIso(value) : value,
  given: SchemaAST.typeAST,
  givenInstant: "object",
  // A row may have more columns than an answer has fields.
  strips: true
})

/** The decoder of what this program has encoded by the schema. */
export const compiledDecoder = compiler({
  byLibrary: (ast) => Schema.decodeUnknownSync(Schema.make<unknown, unknown, never>(ast)),
  instant: (value) => typeof value === "string" ? DateTime.unsafeMake(value) : value,
  given: SchemaAST.encodedAST,
  givenInstant: "string",
  strips: false
})
