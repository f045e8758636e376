/** Sources and files that hold far more than an import takes: they are refused or cut, and leave turns to others. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { gzipSync } from "node:zlib"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { readDocument } from "../../../src/external/document/ReadDocument.ts"
import type { ImportRequest } from "../../../src/external/import/Importer.ts"
import { publicSources } from "../../../src/external/import/SourceAddresses.ts"
import { statuspage } from "../../../src/external/importers/statuspage.ts"
import { uptimekuma } from "../../../src/external/importers/uptimekuma.ts"
import { loopback } from "../../notify/alert/Receiver.ts"
import { turnsDuring } from "../../support/measure/Turns.ts"

const request: ImportRequest = {
  apiKey: null,
  pageId: null,
  url: null,
  document: null,
  wants: { monitors: true, channels: true, pages: true, incidents: true, mirror: false },
  patience: 0
}

/** Answers every path with the same JSON, compressed. */
const serving = (json: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const body = gzipSync(json)
      const server = createServer((_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        response.end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const place = server.address()
      return { server, url: `http://127.0.0.1:${typeof place === "object" && place !== null ? place.port : 0}` }
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

const readPage = (json: string) =>
  Effect.flatMap(serving(json), ({ url }) => statuspage.read({ ...request, url }, publicSources)).pipe(
    Effect.provide(EgressGuard.Default({ allow: loopback }))
  )

const repeated = (count: number, thing: (at: number) => string) => Array.from({ length: count }, (_, at) => thing(at)).join()

describe("A status page", () => {
  it.scoped("that answers with a million small components is refused before they are parsed", () =>
    Effect.gen(function*() {
      const components = repeated(500_000, (id) => `{"id":${id}}`)
      const failure = yield* Effect.flip(readPage(`{"page":{"id":"p"},"components":[${components}]}`))
      expect(failure.message).toBe("The status page sent an answer of more than 100000 values")
    }))

  it.scoped("with more components than a page can have is carried up to there, with a warning", () =>
    Effect.gen(function*() {
      const components = repeated(5000, (id) => `{"id":${id},"name":"Component ${id}"}`)
      const found = yield* readPage(`{"page":{"id":"p","name":"Acme"},"components":[${components}]}`)
      expect(found.pages[0]?.components).toHaveLength(500)
      expect(found.warnings).toContain(`4500 components are not carried: of "Acme" an import takes at most 500`)
    }))
})

describe("A file", () => {
  it.scoped(
    "with tens of thousands of monitors is carried up to a limit, over many turns of the event loop",
    () =>
      Effect.gen(function*() {
        const monitors = repeated(30_000, (id) => `{"id":${id},"name":"m${id}","type":"http","url":"https://a.example/"}`)
        const read = uptimekuma.read({ ...request, document: `{"monitorList":[${monitors}]}` }, publicSources)
        const { result, turns } = yield* turnsDuring(read)
        expect(result.monitors).toHaveLength(10_000)
        expect(result.warnings).toContain("20000 monitors are not carried: an import takes at most 10000")
        expect(turns).toBeGreaterThan(40)
      }).pipe(Effect.provide(EgressGuard.Default({ allow: [] }))),
    30_000
  )

  it.effect("that describes a workspace is decoded over many turns of the event loop", () =>
    Effect.gen(function*() {
      const monitors = repeated(2000, (id) => `{"key":"m${id}","name":"m${id}","url":"https://a.example/"}`)
      const { result, turns } = yield* turnsDuring(readDocument(`{"monitors":[${monitors}]}`))
      expect(result.monitors).toHaveLength(2000)
      expect(turns).toBeGreaterThan(30)
    }))
})
