/**
 * The JavaScript that gives scripts their interface: `http`, `assert`, `step`, `sleep`, `console`, `env` and, with a browser,
 * `page`. Runs in the sandbox.
 */

import { scriptLimits } from "../../domain/check/answer/ScriptLimits.ts"

/** The actions of a page; `src/probe/browser/PageActions.ts` has their arguments. */
const pageActions = [
  "goto",
  "click",
  "fill",
  "select",
  "press",
  "waitFor",
  "waitForUrl",
  "text",
  "value",
  "attribute",
  "count",
  "isVisible",
  "title",
  "url",
  "screenshot"
]

/** Evaluates to a function of `send` (to the host), `env` (JSON) and `hasPage`. Keeps its own copies of the globals that it uses. */
export const prelude = `(function (send, envText, hasPage) {
  "use strict"
  const { stringify, parse } = JSON
  const now = Date.now
  const NativePromise = Promise, NativeError = Error, Text = String
  const waiting = new Map()
  let nextId = 1
  const call = (message) => new NativePromise((resolve, reject) => {
    const id = nextId++
    waiting.set(id, { resolve, reject })
    send(stringify({ ...message, id }))
  })
  const floating = new Set()
  // Calls that the script never waits for, as without \`await\`, would fail unseen: its end waits for them.
  const watched = (running) => {
    floating.add(running)
    // \`await\` gives two handlers. What follows one that handles no failure may fail as well.
    const taken = (name) => (...handlers) => {
      floating.delete(running)
      const next = running[name](...handlers)
      return name === "catch" || handlers.length > 1 ? next : watched(next)
    }
    return { then: taken("then"), catch: taken("catch"), finally: taken("finally") }
  }
  const show = (value) => {
    if (typeof value === "string") return value
    if (value instanceof NativeError) return value.name + ": " + value.message
    try { return stringify(value) ?? Text(value) } catch { return Text(value) }
  }
  const brief = (value) => { const text = show(value); return text.length > 200 ? text.slice(0, 199) + "…" : text }

  class AssertionError extends NativeError {
    constructor(message) { super(message); this.name = "AssertionError" }
  }
  const fail = (given, otherwise) => { throw new AssertionError(given === undefined ? otherwise : Text(given)) }
  const assert = (condition, message) => { if (!condition) fail(message, "Assertion failed") }
  const same = (a, b) => a === b || (a !== a && b !== b) || (typeof a === "object" && typeof b === "object" && stringify(a) === stringify(b))
  assert.ok = assert
  assert.equal = (actual, expected, message) => { if (!same(actual, expected)) fail(message, "Expected " + brief(expected) + ", got " + brief(actual)) }
  assert.notEqual = (actual, expected, message) => { if (same(actual, expected)) fail(message, "Expected another value than " + brief(expected)) }
  assert.match = (text, pattern, message) => { if (!new RegExp(pattern).test(text)) fail(message, "Expected " + brief(text) + " to match " + Text(pattern)) }
  assert.includes = (whole, part, message) => { if (!whole.includes(part)) fail(message, "Expected " + brief(whole) + " to include " + brief(part)) }

  const headersOf = (given) => { const all = {}; for (const name of Object.keys(given ?? {})) all[name] = Text(given[name]); return all }
  const request = async (method, url, options = {}) => {
    const { body, followRedirects, headers, json } = options
    const sent = headersOf(headers)
    if (json !== undefined && !Object.keys(sent).some((name) => name.toLowerCase() === "content-type")) sent["content-type"] = "application/json"
    const answer = parse(await call({
      t: "http",
      method,
      url: Text(url),
      headers: sent,
      body: json !== undefined ? stringify(json) : body === undefined || body === null ? null : Text(body),
      followRedirects: followRedirects !== false
    }))
    answer.ok = answer.status >= 200 && answer.status <= 299
    answer.json = () => parse(answer.body)
    return answer
  }
  const http = (url, options = {}) => watched(request(Text(options.method ?? "GET").toUpperCase(), url, options))
  for (const method of ["get", "head", "post", "put", "patch", "delete", "options"]) {
    http[method] = (url, options) => watched(request(method.toUpperCase(), url, options))
  }

  class PageError extends AssertionError {
    constructor(message) { super(message); this.name = "PageError" }
  }
  const page = {}
  for (const action of ${JSON.stringify(pageActions)}) {
    const act = async (args) => {
      const answer = parse(await call({ t: "page", action, args: stringify(args.map((arg) => arg === undefined ? null : arg)) }))
      if (answer.failed !== undefined) throw new PageError("page." + action + ": " + answer.failed)
      return answer.value
    }
    page[action] = (...args) => watched(act(args))
  }

  let steps = 0
  const runStep = async (given) => {
    const number = ++steps
    const [name, work] = given.length === 1 ? ["Step " + number, given[0]] : given
    const started = now()
    const end = (error) => send(stringify({ t: "step", name: Text(name), ms: now() - started, error }))
    try {
      const value = await work()
      end(null)
      return value
    } catch (error) {
      end(show(error))
      if (error instanceof NativeError && !error.step) { error.step = Text(name) }
      throw error
    }
  }
  const step = (...given) => watched(runStep(given))
  const sleep = (ms) => call({ t: "sleep", ms: Number(ms) || 0 }).then(() => undefined)
  let lines = 0
  // The host counts too; this keeps a flood from costing the script its processor time.
  const logger = (level) => (...values) => {
    if (++lines > ${scriptLimits.logLines + 1}) return
    send(stringify({ t: "log", level, text: values.map(show).join(" ").slice(0, ${scriptLimits.logCharacters + 1}) }))
  }
  const console = { log: logger("log"), info: logger("log"), debug: logger("log"), warn: logger("warn"), error: logger("error") }
  const env = Object.freeze(parse(envText))
  Object.assign(globalThis, { http: Object.freeze(http), assert: Object.freeze(assert), step, sleep, console: Object.freeze(console), env })
  if (hasPage) globalThis.page = Object.freeze(page)

  const lineOf = (error) => { const match = /script\\.js:(\\d+)/.exec(error.stack ?? ""); return match === null ? "" : " (line " + match[1] + ")" }
  const explain = (error) => {
    if (!(error instanceof NativeError)) return "The script threw " + brief(error)
    const where = error.step ? "Step \\"" + error.step + "\\": " : ""
    const kind = error instanceof AssertionError ? "" : error.name + ": "
    return where + kind + error.message + lineOf(error)
  }
  return {
    settle: (id, ok, value) => {
      const one = waiting.get(id)
      waiting.delete(id)
      if (one === undefined) return
      if (ok) one.resolve(value)
      else one.reject(new NativeError(value))
    },
    watch: (running) => {
      running.then(async () => { for (const one of floating) await one }).then(
        () => send(stringify({ t: "done", end: "passed", message: null })),
        (error) => send(stringify({ t: "done", end: error instanceof AssertionError ? "assertion" : "error", message: explain(error) }))
      )
    },
    waits: () => waiting.size
  }
})`
