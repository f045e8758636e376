/** What a provider of AI texts would do: its seam, with a double in its place. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Unavailable } from "../../../schema/Errors.ts"
import { ApiKeyId } from "../../../schema/Ids.ts"
import { Ai, type AiProvider } from "../../../src/external/ai/AiProvider.ts"
import { AnalyzeIncident } from "../../../src/operations/incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "../../../src/operations/incident/ManagePostmortems.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { mint } from "../../../src/store/Mint.ts"
import { Ground, newWorkspace } from "../../support/TestRunner.ts"

const operations = Layer.mergeAll(
  OpenIncident.Default,
  AnalyzeIncident.Default,
  ManagePostmortems.Default,
  ManagePages.Default
)

const report = (publicSummary: string) => ({
  analysis: "db-1.internal ran out of disk.",
  likelyCauses: ["Logs"],
  suggestedActions: ["Rotate logs"],
  publicSummary,
  severity: "major"
})

/** A provider that answers these texts. */
const answering = (text: string): AiProvider => ({
  polish: () => Effect.succeed(text),
  analyze: () => Effect.succeed(report(text)),
  postmortem: () => Effect.succeed({ markdown: `# ${text}`, publicSummary: text })
})

const withAi = (ai: AiProvider) => Effect.provideService(Ai, ai)

const opened = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const page = yield* Effect.flatMap(
    ManagePages,
    (pages) => pages.create(workspaceId, { name: "Acme", settings: { aiAvoidTerms: ["outage"] } })
  )
  const create = (polish: boolean) =>
    Effect.flatMap(
      OpenIncident,
      (opening) => opening.create(workspaceId, { title: "Slow", message: "slow!!", pageIds: [page.slug], polish })
    )
  const caller: Caller = {
    workspaceId,
    principal: { _tag: "Key", keyId: yield* mint("key", ApiKeyId) },
    scopes: ["read", "write"],
    role: "owner",
    operations: null
  }
  return { workspaceId, create, caller }
})

layer(Layer.provideMerge(operations, Ground), { excludeTestServices: true })("an AI provider", (it) => {
  it.effect("polishes a note, unless its text breaks the rules of the page", () =>
    Effect.gen(function*() {
      const { create } = yield* opened
      const polished = yield* create(true).pipe(withAi(answering("Checkout is slow.")))
      expect(polished.updates).toMatchObject([{ body: "Checkout is slow.", ai: true }])
      for (const broken of ["The OUTAGE goes on.", "db-1.internal is slow."]) {
        const kept = yield* create(true).pipe(withAi(answering(broken)))
        expect(kept.updates).toMatchObject([{ body: "slow!!", ai: false }])
      }
      expect((yield* create(false).pipe(withAi(answering("x")))).updates).toMatchObject([{ body: "slow!!", ai: false }])
    }))

  it.effect("reports for the team; its summary is shown only if customers may read it", () =>
    Effect.gen(function*() {
      const { create, workspaceId } = yield* opened
      const { id } = yield* create(false)
      const analyze = Effect.flatMap(AnalyzeIncident, (analyzing) => analyzing.analyze(workspaceId, id))
      const first = yield* analyze.pipe(withAi(answering("db-1.internal is full.")))
      expect(first).toMatchObject({ aiSummary: null, aiReports: [{ analysis: "db-1.internal ran out of disk." }] })
      const second = yield* analyze.pipe(withAi(answering("A disk is full.")))
      expect([second.aiSummary, second.aiReports.length]).toEqual(["A disk is full.", 2])
    }))

  it.effect("writes a postmortem as a new version, and its failure carries the draft", () =>
    Effect.gen(function*() {
      const { caller, create } = yield* opened
      const { id } = yield* create(false)
      const generate = Effect.flatMap(ManagePostmortems, (postmortems) => postmortems.generate(caller, id, {}))
      expect(yield* generate.pipe(withAi(answering("A disk was full.")))).toMatchObject({
        version: 1,
        markdown: "# A disk was full.",
        publicSummary: "A disk was full.",
        ai: true
      })
      const broken: AiProvider = {
        ...answering("x"),
        postmortem: () => Effect.fail(new Unavailable({ message: "The AI provider did not answer" }))
      }
      const failure = yield* Effect.flip(generate.pipe(withAi(broken)))
      expect(failure).toMatchObject({
        _tag: "unavailable",
        message: "The AI provider did not answer",
        details: { template: expect.stringContaining("# Postmortem: Slow") }
      })
    }))
})
