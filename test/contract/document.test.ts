/** Holds the OpenAPI document to what its readers need: it lints, every operation is told with examples that its own schemas take. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Array, Option, Predicate, Schema, SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import { exampleOf } from "../../src/http/openapi/Examples.ts"
import { tidy } from "../../src/http/openapi/JsonSchemas.ts"
import { openApiDocument } from "../../src/http/openapi/OpenApiDocument.ts"
import { type Operation, operations, type PartSchema } from "../../src/http/openapi/Operations.ts"
import type { Json } from "../support/TestServer.ts"

/** As a client reads it. */
const document: Json = JSON.parse(JSON.stringify(openApiDocument("https://belltower.test")))

const schemas: Json = document.components.schemas

const entryOf = ({ method, path }: Operation): Json => document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]

const json = (content: Json): Json => content?.["application/json"]

/** The parameters that it has of its own. */
const ownParameters = (operation: Operation): ReadonlyArray<Json> =>
  entryOf(operation).parameters.filter((one: Json) => one.$ref === undefined)

const decodes = (part: Option.Option<PartSchema>, value: unknown) =>
  Option.match(part, {
    onNone: () => undefined,
    onSome: (schema) => Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(value)
  })

/** What a query or path carries is text. */
const asTexts = (parameters: ReadonlyArray<Json>) =>
  Object.fromEntries(
    parameters.map(({ example, name }) => [name, typeof example === "string" ? example : JSON.stringify(example)])
  )

/** Whether somebody wrote it: the generator's own notes are taken out of the document. */
const isWritten = (description: string) => Predicate.hasProperty(tidy({ type: "string", description }), "description")

/** What authors wrote of the fields of a body or a query. */
const descriptionsOf = (part: Option.Option<PartSchema>): ReadonlyArray<string> =>
  Option.match(part, {
    onNone: () => [],
    onSome: ({ ast }) =>
      SchemaAST.isTypeLiteral(ast)
        ? Array.getSomes(
          ast.propertySignatures.map(({ type }) =>
            Option.isSome(SchemaAST.getIdentifierAnnotation(type)) ? Option.none() : SchemaAST.getDescriptionAnnotation(type)
          )
        )
          .filter(isWritten)
        : []
  })

describe("the OpenAPI document", () => {
  it("lints without a problem under Redocly's recommended rules, with every example valid", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        "no-invalid-media-type-examples": "error",
        "no-invalid-parameter-examples": "error",
        "no-invalid-schema-examples": "error"
      }
    })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config })
    expect(problems.map(({ location, message, ruleId }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it("groups the operations under tags that say what they are", () => {
    for (const { description, name } of document.tags) {
      expect([name, description ?? ""]).toEqual([name, expect.stringMatching(/\w/)])
    }
    expect(document.tags.map(({ name }: Json) => name)).toEqual(Array.dedupe(operations.map(({ group }) => group)))
  })
})

/** An operation that fails here lacks words or examples where its schemas are declared: CONTRIBUTING.md says how to give them. */
describe.each(operations.map((operation) => [operation.id, operation] as const))("the operation %s", (_, operation) => {
  const entry = entryOf(operation)

  it("has a summary of its own, a description and its errors", () => {
    expect(operation.summary).not.toBe(operation.id)
    expect(operation.summary).not.toMatch(/\.$/)
    expect(entry.description).toMatch(/\.$/)
    expect(Object.keys(entry.responses)).toEqual(expect.arrayContaining([String(operation.success), "500", "503"]))
  })

  it("says of each parameter what it is, with an example", () => {
    for (const { description, in: place, name, schema } of ownParameters(operation)) {
      expect([place, name, description]).toEqual([place, name, expect.stringMatching(/\w/)])
      expect([place, name, exampleOf(schema, schemas, "request").gaps]).toEqual([place, name, []])
    }
    const at = (place: string) => asTexts(ownParameters(operation).filter((one) => one.in === place))
    decodes(operation.pathParams, at("path"))
    decodes(operation.query, at("query"))
  })

  it("shows a request that it takes", () => {
    const body = json(entry.requestBody?.content)
    expect(body !== undefined).toBe(Option.isSome(operation.payload))
    if (body === undefined) return
    expect(exampleOf(body.schema, schemas, "request").gaps).toEqual([])
    expect(body.example).not.toEqual({})
    decodes(operation.payload, body.example)
  })

  it("shows an answer without a text that nobody wrote", () => {
    const answer = json(entry.responses[operation.success].content)
    expect(exampleOf(answer.schema, schemas, "answer").gaps).toEqual([])
  })

  it("keeps every description that was written of its fields", () => {
    const written = [...descriptionsOf(operation.payload), ...descriptionsOf(operation.query)]
    const told = JSON.stringify([entry, schemas])
    expect(written.filter((text) => !told.includes(JSON.stringify(text).slice(1, -1)))).toEqual([])
  })
})
