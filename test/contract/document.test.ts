/** Checks the OpenAPI document: it lints, and every operation is described with examples that its own schemas accept. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Array, Option, Predicate, Schema, SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import { exampleOf } from "../../src/http/openapi/Examples.ts"
import { tidy } from "../../src/http/openapi/JsonSchemas.ts"
import { openApiDocument } from "../../src/http/openapi/OpenApiDocument.ts"
import { type Operation, operations, type PartSchema } from "../../src/http/openapi/Operations.ts"
import type { Json } from "../support/TestServer.ts"

/** The document as a client reads it. */
const document: Json = JSON.parse(JSON.stringify(openApiDocument("https://belltower.test")))

const schemas: Json = document.components.schemas

const entryOf = ({ method, path }: Operation): Json => document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]

const json = (content: Json): Json => content?.["application/json"]

/** The parameters of the operation itself. */
const ownParameters = (operation: Operation): ReadonlyArray<Json> =>
  entryOf(operation).parameters.filter((one: Json) => one.$ref === undefined)

const decodes = (part: Option.Option<PartSchema>, value: unknown) =>
  Option.match(part, {
    onNone: () => undefined,
    onSome: (schema) => Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(value)
  })

/** Query and path values are text. */
const asTexts = (parameters: ReadonlyArray<Json>) =>
  Object.fromEntries(
    parameters.map(({ example, name }) => [name, typeof example === "string" ? example : JSON.stringify(example)])
  )

/** Whether a description was written by an author: the generator's own notes are removed from the document. */
const isWritten = (description: string) => Predicate.hasProperty(tidy({ type: "string", description }), "description")

/** The descriptions that authors wrote for the fields of a body or a query. */
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

  it("groups the operations under tags with descriptions", () => {
    for (const { description, name } of document.tags) {
      expect([name, description ?? ""]).toEqual([name, expect.stringMatching(/\w/)])
    }
    expect(document.tags.map(({ name }: Json) => name)).toEqual(Array.dedupe(operations.map(({ group }) => group)))
  })
})

/** An operation that fails here lacks descriptions or examples in its schemas; see CONTRIBUTING.md. */
describe.each(operations.map((operation) => [operation.id, operation] as const))("the operation %s", (_, operation) => {
  const entry = entryOf(operation)

  it("has its own summary, a description and its errors", () => {
    expect(operation.summary).not.toBe(operation.id)
    expect(operation.summary).not.toMatch(/\.$/)
    expect(entry.description).toMatch(/\.$/)
    expect(Object.keys(entry.responses)).toEqual(expect.arrayContaining([String(operation.success), "500", "503"]))
  })

  it("describes each parameter, with an example", () => {
    for (const { description, in: place, name, schema } of ownParameters(operation)) {
      expect([place, name, description]).toEqual([place, name, expect.stringMatching(/\w/)])
      expect([place, name, exampleOf(schema, schemas, "request").gaps]).toEqual([place, name, []])
    }
    const at = (place: string) => asTexts(ownParameters(operation).filter((one) => one.in === place))
    decodes(operation.pathParams, at("path"))
    decodes(operation.query, at("query"))
  })

  it("has an example request that it accepts", () => {
    const body = json(entry.requestBody?.content)
    expect(body !== undefined).toBe(Option.isSome(operation.payload))
    if (body === undefined) return
    expect(exampleOf(body.schema, schemas, "request").gaps).toEqual([])
    expect(body.example).not.toEqual({})
    decodes(operation.payload, body.example)
  })

  it("has an example response without generated texts", () => {
    const answer = json(entry.responses[operation.success].content)
    expect(exampleOf(answer.schema, schemas, "answer").gaps).toEqual([])
  })

  it("keeps every description that was written for its fields", () => {
    const written = [...descriptionsOf(operation.payload), ...descriptionsOf(operation.query)]
    const documented = JSON.stringify([entry, schemas])
    expect(written.filter((text) => !documented.includes(JSON.stringify(text).slice(1, -1)))).toEqual([])
  })
})
