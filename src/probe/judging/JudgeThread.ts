/** A judging thread: judges responses part by part, without a time limit of its own. The pool terminates it at the deadline. */
import { Either } from "effect"
import { parentPort } from "node:worker_threads"
import { type AssertionFacts, judgeAssertion } from "../../domain/check/answer/AssertionCheck.ts"
import { type Expectations, readExpectations } from "../../domain/check/answer/HttpVerdict.ts"
import { parseExactJson } from "../../domain/tools/json/ExactJson.ts"
import type { Finding, JudgeJob, JudgeReply, Part, PlainFacts } from "./JudgeJob.ts"

const maxExpectations = 200
const expectations = new Map<string, Expectations>()

const expectationsOf = ({ key, target }: JudgeJob): Expectations => {
  const known = expectations.get(key)
  if (known !== undefined) return known
  if (expectations.size >= maxExpectations) expectations.clear()
  const read = readExpectations(target)
  expectations.set(key, read)
  return read
}

const factsOf = (plain: PlainFacts): AssertionFacts => {
  let json: ReturnType<typeof parseExactJson> | null = null
  return {
    ...plain,
    header: (name) => plain.headers[name],
    body: () => plain.body,
    json: () => (json ??= parseExactJson(plain.body))
  }
}

const find = ({ assertions, target }: Expectations, part: Part, facts: AssertionFacts): Finding | null => {
  if (typeof part === "string") return facts.body().includes(target[part] ?? "")
  const compiled = assertions[part]
  return compiled === undefined || Either.isLeft(compiled) ? null : judgeAssertion(compiled.right, facts)
}

const reply = (message: JudgeReply): void => parentPort?.postMessage(message)

parentPort?.on("message", (job: JudgeJob) => {
  const known = expectationsOf(job)
  const facts = factsOf(job.facts)
  for (const part of job.parts) {
    const finding = find(known, part, facts)
    if (finding !== null) reply({ _tag: "Found", part, finding })
  }
  reply({ _tag: "Done" })
})
reply({ _tag: "Ready" })
