/** The mcp check: talks to an MCP server by Streamable HTTP, and judges its tools and the result of a call. */
import { Cause, Effect, Either, Exit } from "effect"
import type { AssertionResult, Evidence } from "../../../schema/check/Check.ts"
import { type CheckVerdict, verdictOf } from "../../domain/check/answer/CheckVerdict.ts"
import { toolProblems } from "../../domain/check/answer/mcp/McpTools.ts"
import { maskSecrets } from "../../domain/check/answer/SecretMask.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import type { DecodedBody } from "../../egress/BodyDecoder.ts"
import { factsOf } from "../http/HttpCheck.ts"
import { evidenceOf } from "../http/HttpEvidence.ts"
import { type HttpPlan, httpRequestOf, withPlan } from "../http/HttpPlan.ts"
import { credentialSecrets } from "../mcp/ClientToken.ts"
import { converse } from "../mcp/McpConversation.ts"
import type { McpRun } from "../mcp/McpRun.ts"
import type { AssignmentOf, Probe, Tools } from "../Probe.ts"
import { type ProbeResult, tenths, timingsOf } from "../ProbeResult.ts"

/** As many as `pinnedTools` takes. */
const mostTools = 500

const runOf = (assignment: AssignmentOf<"mcp">, plan: HttpPlan, { guard, now }: Tools): McpRun => {
  const clientSecret = assignment.secrets?.clientSecret ?? null
  return {
    plan,
    target: assignment.target,
    clientSecret,
    guard,
    now,
    startedAt: performance.now(),
    timeoutMs: assignment.timeoutMs,
    owner: assignment,
    secrets: [...plan.secrets, ...credentialSecrets(assignment.target.clientId, clientSecret)],
    token: null,
    session: null,
    version: null,
    server: null,
    tools: [],
    last: null,
    showsBody: true,
    latencyMs: 0,
    lastId: 0
  }
}

const bodyOf = (text: string): DecodedBody => ({ text, complete: true, problem: null, unknown: null })

/** The verdict on what a conversation that reached its end has shown. */
const judged = (
  assignment: AssignmentOf<"mcp">,
  run: McpRun,
  text: string,
  { judging }: Tools
): Effect.Effect<CheckVerdict, unknown> =>
  Effect.async((resume) => {
    const { last, plan, target, tools } = run
    if (last === null) return resume(Effect.dieMessage("A conversation that reached its end has an exchange"))
    const facts = { ...factsOf(plan, last, bodyOf(text), run.now()), latencyMs: tenths(run.latencyMs) }
    const request = httpRequestOf(assignment, assignment.target)
    const stop = judging.judge(request, plan.expectations, facts, (verdict) =>
      resume(Effect.map(verdict, ({ assertions, cause, error, outcome }) =>
        verdictOf(
          [
            ...toolProblems(target, tools),
            outcome === "up" || cause === null ? null : { severity: outcome, cause, error: error ?? "" }
          ],
          assertions
        ))))
    return Effect.sync(() =>
      stop?.()
    )
  })

const evidenceIn = (
  { last, secrets, server, showsBody, tools, version }: McpRun,
  text: string | null,
  assertions: ReadonlyArray<AssertionResult>,
  now: number
): Effect.Effect<Evidence | null> => {
  if (last === null) return Effect.succeed(null)
  const clean = (value: string): string => storable(maskSecrets(secrets, value))
  const body = text === null ? null : bodyOf(text)
  return Effect.map(evidenceOf({ chain: last, secrets, assertions, body, now }), (evidence) => ({
    ...evidence,
    request: { ...evidence.request, method: "MCP" },
    ...(showsBody ? {} : { body: null, bodyTruncated: false }),
    mcp: {
      server: server === null ? null : clean(server),
      protocolVersion: version,
      tools: tools.slice(0, mostTools).map(({ pin }) => clean(pin))
    }
  }))
}

const resultOf = (run: McpRun, text: string | null, { assertions, cause, error, outcome }: CheckVerdict): ProbeResult => {
  const { last, secrets } = run
  const now = run.now()
  return {
    outcome,
    cause,
    error: error === null ? null : storable(maskSecrets(secrets, maskUrls(error))),
    statusCode: last?.last.response?.statusCode ?? null,
    latencyMs: last === null || last.last.response === null ? null : tenths(run.latencyMs),
    timings: last === null ? null : timingsOf(last.last),
    reached: last === null || last.last.response === null ? null : last.last.address,
    evidence: evidenceIn(run, text, assertions, now)
  }
}

const check = (assignment: AssignmentOf<"mcp">, plan: HttpPlan, tools: Tools): Effect.Effect<ProbeResult, unknown> =>
  Effect.gen(function*() {
    const run = runOf(assignment, plan, tools)
    const ended = yield* Effect.either(converse(run))
    return Either.isLeft(ended)
      ? resultOf(run, null, verdictOf([ended.left.problem]))
      : resultOf(run, ended.right, yield* judged(assignment, run, ended.right, tools))
  })

export const checkMcp: Probe<"mcp"> = (assignment, tools, done) =>
  withPlan(httpRequestOf(assignment, assignment.target), done, (plan) => {
    let cancelled = false
    const cancel = Effect.runCallback(check(assignment, plan, tools), {
      onExit: (exit) => {
        if (!cancelled) {
          done(
            Exit.match(exit, { onFailure: (cause) => Either.left(Cause.squash(cause)), onSuccess: (seen) => Either.right(seen) })
          )
        }
      }
    })
    return () => {
      cancelled = true
      cancel()
    }
  })
