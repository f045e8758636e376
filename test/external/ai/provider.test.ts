/** The provider of AI texts against a server that speaks both protocols: what works, what fails, and what never leaks. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Fiber, HashMap, Inspectable, Logger, Option, Redacted, Ref } from "effect"
import { WorkspaceId } from "../../../schema/Ids.ts"
import type { AiPrompt } from "../../../src/domain/ai/Prompts.ts"
import { type AiProviderName, baseAddress } from "../../../src/external/ai/AiSettings.ts"
import { type AiSlotLimits, defaultAiSlots, makeAiProvider } from "../../../src/external/ai/MakeAiProvider.ts"
import { localModel, type ModelReply, says } from "../../support/services/LocalModel.ts"
import { until } from "../../support/time/Until.ts"

const ours = WorkspaceId.make("ws_ours")
const theirs = WorkspaceId.make("ws_theirs")
const key = "sk-very-secret-key-0123456789abcdef"
const prompt: AiPrompt = { system: "Be brief.", user: "Why?", mostTokens: 321 }

const setUp = (
  provider: AiProviderName,
  reply: (count: number, path: string) => ModelReply,
  more: { readonly limits?: AiSlotLimits; readonly timeout?: Duration.Duration } = {}
) =>
  Effect.gen(function*() {
    const model = yield* localModel(({ path }, count) => reply(count, path))
    const settings = { provider, key: Option.some(Redacted.make(key)), model: "small", url: model.url }
    const ai = yield* makeAiProvider(settings, more.limits ?? defaultAiSlots, more.timeout)
    return { ai, model }
  })

const providers = ["anthropic", "openai"] as const

describe.each(providers)("%s", (name) => {
  it.scopedLive("answers with the model's words, and gets the prompt, the model and the limit", () =>
    Effect.gen(function*() {
      const { ai, model } = yield* setUp(name, () => says("Because."))
      expect(yield* ai.ask(ours, prompt, "caller")).toBe("Because.")
      expect(model.asked).toMatchObject([{
        path: name === "anthropic" ? "/v1/messages" : "/v1/chat/completions",
        key: name === "anthropic" ? key : `Bearer ${key}`,
        system: "Be brief.",
        user: "Why?",
        body: { model: "small", max_tokens: 321 }
      }])
    }))

  it.scopedLive("is unavailable when it fails, refuses, or answers what the protocol does not know, without repeating its words", () =>
    Effect.gen(function*() {
      const bad: ReadonlyArray<ModelReply> = [
        { _tag: "Answers", status: 429, body: `{"error":"slow down, ${key}"}`, headers: { "retry-after": "30" } },
        { _tag: "Answers", status: 500, body: `oops ${key}` },
        { _tag: "Answers", status: 401, body: `{"error":{"message":"bad key ${key}"}}` },
        { _tag: "Answers", status: 200, body: "<html>not json</html>" },
        { _tag: "Answers", status: 200, body: "{\"content\": 5, \"choices\": []}" },
        { _tag: "Answers", status: 200, body: "x".repeat(2 * 1024 * 1024) },
        { _tag: "Answers", status: 307, body: "", headers: { location: "http://127.0.0.1:9/elsewhere" } },
        { _tag: "Refuses" }
      ]
      const { ai } = yield* setUp(name, (count) => bad[count - 1] ?? { _tag: "Refuses" })
      const lines = yield* Ref.make("")
      const logger = Logger.make(({ annotations, cause, message }) =>
        Effect.runSync(
          Ref.update(lines, (before) => before + Inspectable.toStringUnknown([message, cause, HashMap.toEntries(annotations)]))
        )
      )
      for (const _ of bad) {
        const failure = yield* Effect.flip(ai.ask(ours, prompt, "caller")).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
        expect(failure._tag).toBe("unavailable")
        expect(Inspectable.toStringUnknown(failure)).not.toContain(key)
      }
      const logged = yield* Ref.get(lines)
      expect(logged).toContain("The provider answered 429")
      expect(logged).not.toContain(key)
      expect(logged).not.toContain("slow down")
    }))

  it.scopedLive("is given up when it is slow, and the reason is said", () =>
    Effect.gen(function*() {
      const { ai, model } = yield* setUp(name, () => ({ _tag: "Hangs" }), { timeout: Duration.millis(200) })
      const failure = yield* Effect.flip(ai.ask(ours, prompt, "caller"))
      expect(failure.message).toContain("did not answer")
      yield* until(Effect.sync(() => model.state.left), (left) => left === 1)
    }))
})

describe("the provider of AI texts", () => {
  it.scopedLive("speaks the responses API where a server has no chat completions, and remembers it", () =>
    Effect.gen(function*() {
      const missing: ModelReply = { _tag: "Answers", status: 404, body: "{}" }
      const { ai, model } = yield* setUp("openai", (_, path) => path === "/v1/responses" ? says("Yes.") : missing)
      expect(yield* ai.ask(ours, prompt, "caller")).toBe("Yes.")
      expect(yield* ai.ask(ours, prompt, "caller")).toBe("Yes.")
      expect(model.asked.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/responses", "/v1/responses"])
    }))

  it.scopedLive("shares its slots between workspaces, and callers go before reports that nobody waits for", () =>
    Effect.gen(function*() {
      const held: Array<string> = []
      const model = yield* localModel(({ user }) => {
        held.push(user)
        return user === "hold" ? { _tag: "Hangs" } : says("ok")
      })
      const settings = { provider: "openai" as const, key: Option.none(), model: "small", url: model.url }
      const limits = { slots: 2, mostPerWorkspace: 1, waiting: { total: 10, perOwner: 4 } }
      const ai = yield* makeAiProvider(settings, limits)
      const ask = (owner: WorkspaceId, user: string, urgency: "caller" | "background" = "background") =>
        ai.ask(owner, { ...prompt, user }, urgency)
      const first = yield* Effect.fork(ask(ours, "hold"))
      yield* until(Effect.sync(() => held.length), (count) => count === 1)
      // Ours has its share; theirs is served although ours came first.
      const waiting = yield* Effect.forEach(["late", "later"], (user) => Effect.fork(ask(ours, user)))
      const urgent = yield* Effect.fork(ask(ours, "urgent", "caller"))
      yield* Effect.yieldNow()
      expect(yield* ask(theirs, "other")).toBe("ok")
      expect(held).toEqual(["hold", "other"])
      // More than may wait are refused immediately.
      yield* Effect.fork(ask(ours, "last"))
      yield* Effect.yieldNow()
      expect((yield* Effect.flip(ask(ours, "too many"))).message).toContain("Too many")
      yield* Fiber.interrupt(first)
      yield* Fiber.join(urgent)
      yield* Effect.forEach(waiting, Fiber.join)
      expect(held.slice(0, 5)).toEqual(["hold", "other", "urgent", "late", "later"])
      expect(model.state.mostOpen).toBeLessThanOrEqual(2)
    }))

  it.scopedLive("pauses the texts that nobody waits for after repeated failures, and asks again once one succeeds", () =>
    Effect.gen(function*() {
      const failing = { now: true }
      const { ai, model } = yield* setUp("anthropic", () => failing.now ? { _tag: "Answers", status: 503, body: "" } : says("ok"))
      for (let count = 0; count < 5; count++) yield* Effect.flip(ai.ask(ours, prompt, "background"))
      const before = model.asked.length
      expect((yield* Effect.flip(ai.ask(ours, prompt, "background"))).message).toContain("repeatedly")
      expect(model.asked.length).toBe(before)
      failing.now = false
      expect(yield* ai.ask(ours, prompt, "caller")).toBe("ok")
      expect(yield* ai.ask(ours, prompt, "background")).toBe("ok")
    }))

  it.scopedLive("ends its calls when the process stops", () =>
    Effect.gen(function*() {
      const { ai, model } = yield* setUp("anthropic", () => ({ _tag: "Hangs" }))
      const asking = yield* Effect.fork(Effect.either(ai.ask(ours, prompt, "caller")))
      yield* until(Effect.sync(() => model.asked.length), (count) => count === 1)
      yield* ai.close
      expect(Either.isLeft(yield* Fiber.join(asking))).toBe(true)
      yield* until(Effect.sync(() => model.state.left), (left) => left === 1)
    }))

  it("takes a base address with and without the version", () => {
    expect(baseAddress("anthropic", "http://127.0.0.1:1/v1")).toBe("http://127.0.0.1:1")
    expect(baseAddress("anthropic", "https://proxy.example/claude")).toBe("https://proxy.example/claude")
    expect(baseAddress("openai", "http://127.0.0.1:11434")).toBe("http://127.0.0.1:11434/v1")
    expect(baseAddress("openai", "http://127.0.0.1:11434/v1")).toBe("http://127.0.0.1:11434/v1")
    expect(baseAddress("openai", "https://gateway.example/openai")).toBe("https://gateway.example/openai")
  })
})
