/** AI for people who ask for it, with a double in place of the provider. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Unavailable } from "../../../schema/Errors.ts"
import { ApiKeyId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { AiPrompt } from "../../../src/domain/ai/Prompts.ts"
import { Ai, type AiProvider } from "../../../src/external/ai/AiProvider.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { ManageBilling } from "../../../src/operations/billing/ManageBilling.ts"
import { ManageDigest } from "../../../src/operations/digest/ManageDigest.ts"
import { AnalyzeIncident } from "../../../src/operations/incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "../../../src/operations/incident/ManagePostmortems.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { mint } from "../../../src/store/Mint.ts"
import { Workspaces } from "../../../src/store/workspace/Workspaces.ts"
import { Ground } from "../../support/program/TestRunner.ts"

const operations = Layer.mergeAll(
  OpenIncident.Default,
  UpdateIncident.Default,
  AnalyzeIncident.Default,
  ManagePostmortems.Default,
  ManageDigest.Default,
  Layer.provide(ManageBilling.Default, Layer.succeed(BaseUrl, "https://belltower.test")),
  ManagePages.Default
)

const report = (publicSummary: string) => ({
  analysis: "db-1.internal ran out of disk.",
  likelyCauses: ["Logs"],
  suggestedActions: ["Rotate logs"],
  publicSummary,
  severity: "major"
})

/** A provider that answers each kind of question with this text. */
const answering = (text: string, asked: Array<AiPrompt> = []): AiProvider => ({
  ask: (_, prompt) =>
    Effect.sync(() => {
      asked.push(prompt)
      return JSON.stringify({ ...report(text), text, markdown: `# ${text}` })
    }),
  close: Effect.void
})

const failing: AiProvider = {
  ask: () => new Unavailable({ message: "The AI provider did not answer" }),
  close: Effect.void
}

const withAi = (ai: AiProvider) => Effect.provideService(Ai, ai)

const neutral = "We are investigating a problem."

const openedOn = (plan: "free" | "self_hosted") =>
  Effect.gen(function*() {
    const workspaces = yield* Workspaces
    const { workspace: { id: workspaceId } } = yield* workspaces.create({ name: "Test", agentName: "test", plan })
    const page = yield* Effect.flatMap(
      ManagePages,
      (pages) => pages.create(workspaceId, { name: "Acme", settings: { aiAvoidTerms: ["outage"], aiGuidelines: "Be kind." } })
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

const opened = openedOn("self_hosted")

const usedBy = (workspaceId: WorkspaceId) =>
  Effect.map(Effect.flatMap(ManageBilling, (billing) => billing.usage(workspaceId)), ({ aiReports }) => aiReports.used)

layer(Layer.provideMerge(operations, Ground), { excludeTestServices: true })("an AI provider", (it) => {
  it.effect("polishes a note; a text that breaks the rules of the page is replaced by a neutral one", () =>
    Effect.gen(function*() {
      const { create, workspaceId } = yield* opened
      const asked: Array<AiPrompt> = []
      const polished = yield* create(true).pipe(withAi(answering("Checkout is slow.", asked)))
      expect(polished.updates).toMatchObject([{ body: "Checkout is slow.", ai: true }])
      expect(asked[0]?.system).toContain("Be kind.")
      for (const broken of ["The OUTAGE goes on.", "db-1.internal is slow."]) {
        const replaced = yield* create(true).pipe(withAi(answering(broken)))
        expect(replaced.updates).toMatchObject([{ body: neutral, ai: false }])
      }
      expect((yield* create(false).pipe(withAi(answering("x")))).updates).toMatchObject([{ body: "slow!!", ai: false }])
      // An internal note is for the team, so it may name hosts.
      const updating = yield* UpdateIncident
      const noted = yield* updating.post(workspaceId, polished.id, { message: "db??", polish: true, public: false }).pipe(
        withAi(answering("db-1.internal is slow."))
      )
      expect(noted.updates.at(-1)).toMatchObject({ body: "db-1.internal is slow.", ai: true, public: false })
      const ended = yield* updating.resolve(workspaceId, polished.id, { message: "db-1 ok", polish: true }).pipe(
        withAi(answering("10.0.0.1 is back."))
      )
      expect(ended.updates.at(-1)).toMatchObject({ body: expect.stringMatching(/^Resolved after /), ai: false })
    }))

  it.effect("posts nothing when the provider fails, and counts nothing unless it answered", () =>
    Effect.gen(function*() {
      const { create, workspaceId } = yield* opened
      expect(yield* Effect.flip(create(true).pipe(withAi(failing)))).toMatchObject({ _tag: "unavailable" })
      expect(yield* Effect.flip(create(true).pipe(withAi(answering(""))))).toMatchObject({
        _tag: "unavailable",
        message: "The AI provider's answer could not be used"
      })
      expect(yield* usedBy(workspaceId)).toBe(1)
      yield* create(true).pipe(withAi(answering("Slow.")))
      expect(yield* usedBy(workspaceId)).toBe(2)
    }))

  it.effect("reports for the team; what customers must not read is replaced in its summary", () =>
    Effect.gen(function*() {
      const { create, workspaceId } = yield* opened
      const { id } = yield* create(false)
      const analyze = Effect.flatMap(AnalyzeIncident, (analyzing) => analyzing.analyze(workspaceId, id))
      const first = yield* analyze.pipe(withAi(answering("db-1.internal is full.")))
      expect(first).toMatchObject({
        aiSummary: neutral,
        aiReports: [{ analysis: "db-1.internal ran out of disk.", publicSummary: neutral }]
      })
      const second = yield* analyze.pipe(withAi(answering("A disk is full.")))
      expect([second.aiSummary, second.aiReports.length]).toEqual(["A disk is full.", 2])
      expect(yield* Effect.flip(analyze.pipe(withAi(failing)))).toMatchObject({ _tag: "unavailable" })
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
      const failure = yield* Effect.flip(generate.pipe(withAi(failing)))
      expect(failure).toMatchObject({
        _tag: "unavailable",
        message: "The AI provider did not answer",
        details: { template: expect.stringContaining("# Postmortem: Slow") }
      })
    }))

  it.effect("writes a text for the digest's preview, and the digest by rules stands where it fails", () =>
    Effect.gen(function*() {
      const { workspaceId } = yield* opened
      const preview = (ai: boolean) =>
        Effect.flatMap(ManageDigest, (digests) => digests.preview(workspaceId, { ai, format: "html" }))
      const written = yield* preview(true).pipe(withAi(answering("A quiet week.")))
      expect(written.ai).toBe("A quiet week.")
      expect(written.html).toContain("A quiet week.")
      expect((yield* preview(false).pipe(withAi(answering("x")))).ai).toBeNull()
      expect((yield* preview(true).pipe(withAi(failing))).ai).toBeNull()
      expect(yield* usedBy(workspaceId)).toBe(1)
    }))

  it.effect("writes as many texts in a month as the plan allows, also for callers at the same time", () =>
    Effect.gen(function*() {
      const { caller, create, workspaceId } = yield* openedOn("free")
      const { id } = yield* create(false)
      const analyze = Effect.flatMap(AnalyzeIncident, (analyzing) => Effect.either(analyzing.analyze(workspaceId, id)))
      const outcomes = yield* Effect.all(Array.from({ length: 13 }, () => analyze), { concurrency: 13 }).pipe(
        withAi(answering("Slow."))
      )
      expect(outcomes.filter(({ _tag }) => _tag === "Right")).toHaveLength(10)
      const used = Effect.flatMap(ManageBilling, (billing) => billing.usage(workspaceId))
      expect((yield* used).aiReports).toMatchObject({ used: 10, limit: 10 })
      const postmortems = yield* ManagePostmortems
      const refused = yield* Effect.flip(postmortems.generate(caller, id, {}).pipe(withAi(answering("x"))))
      expect(refused).toMatchObject({ _tag: "plan_limit", details: { upgrade: { plan: "starter" } } })
      const digests = yield* ManageDigest
      expect((yield* digests.preview(workspaceId, { ai: true }).pipe(withAi(answering("x")))).ai).toBeNull()
    }))
})
