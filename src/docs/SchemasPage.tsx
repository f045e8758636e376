/** The schemas that several operations share. */
import { Array, Predicate } from "effect"
import { resolved } from "../http/openapi/Examples.ts"
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { docsPage } from "./DocsFrame.tsx"
import { fieldRows, isSchema, limitWords, typeWords } from "./SchemaWords.ts"
import { Fields, Line, Section } from "./Text.tsx"

interface EntryProps {
  readonly name: string
  readonly schemas: OpenApiDocument["components"]["schemas"]
}

const SchemaEntry = ({ name, schemas }: EntryProps) => {
  const schema = schemas[name]
  if (!isSchema(schema)) return null
  const known = resolved(schema, schemas)
  const rows = fieldRows(known)
  const { description } = known
  return (
    <Section kind="schema" id={`schema-${name}`} title={name}>
      {Predicate.isString(description)
        ? <Line text={description} />
        : null}
      {rows.length > 0 ?
        <Fields caption="Fields" rows={rows} /> :
        <p>{[typeWords(known).map(({ word }) => word).join(""), ...limitWords(known)].join("; ")}</p>}
    </Section>
  )
}

export const schemasPage = (baseUrl: string, { components: { schemas } }: OpenApiDocument) =>
  docsPage({
    baseUrl,
    heading: "Schemas",
    path: "/docs/schemas",
    sections: Array.sortBy((a: string, b: string) => (a < b ? -1 : 1))(Object.keys(schemas))
      .map((name) => () => <SchemaEntry name={name} schemas={schemas} />)
  })
