/** The actions that a script may ask of its page. Everything else of the browser stays out of its reach. */
import { Data, Effect, Option, Schedule, Schema } from "effect"
import { webUrl } from "../../../schema/UrlText.ts"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { maskUrl } from "../../domain/secret/UrlSecrets.ts"
import type { Refused } from "./BrowserProxy.ts"
import { type DevToolsFailed, nothing } from "./DevTools.ts"
import { pageFunctions } from "./PageFunctions.ts"
import { PageFailed, type PageSession } from "./PageSession.ts"

export interface Stage {
  readonly session: PageSession
  readonly refused: Refused
  /** The rest of the check's time, ms. */
  readonly left: () => number
  /** Takes a screenshot for the evidence, by default with its number as its name; false if there is no room for it. */
  readonly shoot: (name: string | null) => Effect.Effect<boolean>
}

type Acted = Effect.Effect<unknown, PageFailed | DevToolsFailed>

/** The page is not ready for an action, which is tried again until its time is up. */
class NotYet extends Data.TaggedError("NotYet") {}

const Selector = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(2000))
const Text = Schema.String.pipe(Schema.maxLength(10_000))
const Options = Schema.Struct({ timeoutMs: Schema.optional(Schema.Number) })
type WaitTime = typeof Options.Type | null | undefined

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

/** Tries until something comes of it. A document that goes away under a call is as good as one that is not there yet. */
const awaiting = <A>(
  stage: Stage,
  options: WaitTime,
  what: string,
  attempt: Effect.Effect<A, NotYet | PageFailed | DevToolsFailed>
): Effect.Effect<A, PageFailed | DevToolsFailed> => {
  const ms = Math.max(1, Math.min(options?.timeoutMs ?? browserLimits.waitMs, stage.left()))
  const again = (failure: NotYet | PageFailed | DevToolsFailed): NotYet | PageFailed | DevToolsFailed =>
    failure._tag === "DevToolsFailed" && /context|frame|navigat/i.test(failure.message) ? new NotYet() : failure
  return Effect.mapError(attempt, again).pipe(
    Effect.retry({ while: ({ _tag }) => _tag === "NotYet", schedule: Schedule.spaced("100 millis") }),
    Effect.mapError((failure) => failure._tag === "NotYet" ? new PageFailed({ message: what }) : failure),
    Effect.timeoutFail({ duration: ms, onTimeout: () => new PageFailed({ message: `${what} within ${seconds(ms)}` }) })
  )
}

const present = (
  call: Effect.Effect<unknown, PageFailed | DevToolsFailed>
): Effect.Effect<unknown, NotYet | PageFailed | DevToolsFailed> =>
  Effect.flatMap(call, (value) => value === null || value === undefined ? new NotYet() : Effect.succeed(value))

const Point = Schema.Struct({ x: Schema.Number, y: Schema.Number })

/** A place where the element stays, so that an animation does not move it from under the mouse. */
const steadyPoint = Effect.fn("PageActions.steadyPoint")(function*({ session }: Stage, selector: string) {
  const where = Effect.flatMap(
    present(session.call(pageFunctions.target, selector)),
    (value) => Effect.mapError(Schema.decodeUnknown(Point)(value), () => new NotYet())
  )
  const first = yield* where
  yield* Effect.sleep("50 millis")
  const second = yield* where
  return Math.abs(first.x - second.x) + Math.abs(first.y - second.y) < 1 ? second : yield* new NotYet()
})

const mouse = ({ session }: Stage, type: string, { x, y }: typeof Point.Type, buttons: number) =>
  session.command(
    "Input.dispatchMouseEvent",
    { type, x, y, button: buttons === 0 ? "none" : "left", buttons, clickCount: 1 },
    nothing
  )

const click = Effect.fn("PageActions.click")(function*(stage: Stage, selector: string, options: WaitTime) {
  const at = yield* awaiting(stage, options, `nothing that can be clicked matches ${selector}`, steadyPoint(stage, selector))
  yield* mouse(stage, "mouseMoved", at, 0)
  yield* mouse(stage, "mousePressed", at, 1)
  yield* mouse(stage, "mouseReleased", at, 1)
})

const fill = Effect.fn("PageActions.fill")(function*(stage: Stage, selector: string, text: string, options: WaitTime) {
  const { session } = stage
  const focus = present(session.call(pageFunctions.field, selector))
  yield* awaiting(stage, options, `no field that can be filled matches ${selector}`, focus)
  if (text === "") return yield* session.call(pageFunctions.clear)
  return yield* session.command("Input.insertText", { text }, nothing)
})

/** By the name of the key, which is also its code. */
const keys: Readonly<Record<string, { readonly keyCode: number; readonly text?: string }>> = {
  Enter: { keyCode: 13, text: "\r" },
  Tab: { keyCode: 9 },
  Escape: { keyCode: 27 },
  Backspace: { keyCode: 8 },
  Delete: { keyCode: 46 },
  Space: { keyCode: 32, text: " " },
  ArrowUp: { keyCode: 38 },
  ArrowDown: { keyCode: 40 },
  ArrowLeft: { keyCode: 37 },
  ArrowRight: { keyCode: 39 }
}

const press = ({ session }: Stage, name: string): Acted => {
  const known = Object.hasOwn(keys, name) ? keys[name] : undefined
  if (known === undefined) {
    return name.length === 1
      ? session.command("Input.insertText", { text: name }, nothing)
      : new PageFailed({ message: `there is no key ${name}; use one character or ${Object.keys(keys).join(", ")}` })
  }
  const { keyCode, text } = known
  const key = name === "Space" ? " " : name
  const event = { key, code: name, windowsVirtualKeyCode: keyCode, ...(text === undefined ? {} : { text }) }
  return Effect.zipRight(
    session.command("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", ...event }, nothing),
    session.command("Input.dispatchKeyEvent", { type: "keyUp", ...event, text: undefined }, nothing)
  )
}

const Navigated = Schema.Struct({ loaderId: Schema.optional(Schema.String), errorText: Schema.optional(Schema.String) })

/** Loads a document with all of its parts. Chromium names only its own error; the proxy knows why. */
const goto = Effect.fn("PageActions.goto")(function*(stage: Stage, url: string) {
  const { refused, session } = stage
  const address = webUrl(url)
  if (address === null) {
    return yield* new PageFailed({ message: `"${url.slice(0, 200)}" is not an absolute http or https URL` })
  }
  const ms = Math.max(1, stage.left())
  const late = () => new PageFailed({ message: `${maskUrl(url)} did not load within ${seconds(ms)}` })
  const { errorText, loaderId } = yield* session.command("Page.navigate", { url }, Navigated).pipe(
    Effect.timeoutFail({ duration: ms, onTimeout: late })
  )
  const refusal = refused.get(address.hostname.replace(/^\[(.*)\]$/, "$1"))
  if (refusal !== undefined) return yield* new PageFailed({ message: refusal.message })
  if (errorText !== undefined && errorText !== "") return yield* new PageFailed({ message: `${maskUrl(url)}: ${errorText}` })
  const loaded = Effect.suspend(() => loaderId === undefined || session.hasLoaded(loaderId) ? Effect.void : new NotYet())
  yield* awaiting(stage, { timeoutMs: ms }, `${maskUrl(url)} did not load`, loaded)
  return { status: loaderId === undefined ? null : session.statusOf(loaderId) }
})

const waits = { visible: pageFunctions.shown, hidden: pageFunctions.hidden } as const

const WaitOptions = Schema.Struct({ ...Options.fields, state: Schema.optional(Schema.Literal("visible", "hidden")) })

const waitFor = (stage: Stage, selector: string, options: typeof WaitOptions.Type | null | undefined): Acted => {
  const state = options?.state ?? "visible"
  const what = state === "visible" ? `nothing visible matches ${selector}` : `something visible still matches ${selector}`
  return Effect.as(awaiting(stage, options, what, present(stage.session.call(waits[state], selector))), null)
}

const waitForUrl = (stage: Stage, part: string, options: WaitTime): Acted => {
  const there = Effect.flatMap(
    stage.session.call(pageFunctions.url),
    (url) => typeof url === "string" && url.includes(part) ? Effect.succeed(null) : new NotYet()
  )
  return awaiting(stage, options, `the URL does not contain ${part}`, there)
}

/** Waits for the element, whatever it shows. */
const read = (stage: Stage, selector: string, code: string, ...rest: ReadonlyArray<unknown>) =>
  awaiting(stage, undefined, `nothing matches ${selector}`, present(stage.session.call(code, selector, ...rest)))

const most = browserLimits.textCharacters

const Attribute = Schema.Struct({ value: Schema.NullOr(Schema.String) })

const action = <A, I>(args: Schema.Schema<A, I>, run: (stage: Stage, args: A) => Acted) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(args))
  return (stage: Stage, given: string): Acted =>
    decode(given).pipe(
      Effect.mapError(() => new PageFailed({ message: "wrong arguments" })),
      Effect.flatMap((decoded) => run(stage, decoded))
    )
}

const withOptions = <A, I>(options: Schema.Schema<A, I>) => Schema.optionalElement(Schema.NullOr(options))
const OnSelector = Schema.Tuple(Selector)

const actions = {
  goto: action(Schema.Tuple(Schema.String.pipe(Schema.maxLength(4000))), (stage, [url]) => goto(stage, url)),
  click: action(Schema.Tuple(Selector, withOptions(Options)), (stage, [selector, options]) => click(stage, selector, options)),
  fill: action(
    Schema.Tuple(Selector, Text, withOptions(Options)),
    (stage, [selector, text, options]) => fill(stage, selector, text, options)
  ),
  select: action(Schema.Tuple(Selector, Text), (stage, [selector, wanted]) =>
    Effect.as(
      awaiting(
        stage,
        undefined,
        `no list with ${wanted} matches ${selector}`,
        present(stage.session.call(pageFunctions.choose, selector, wanted))
      ),
      null
    )),
  press: action(Schema.Tuple(Schema.String), (stage, [key]) => press(stage, key)),
  waitFor: action(
    Schema.Tuple(Selector, withOptions(WaitOptions)),
    (stage, [selector, options]) => waitFor(stage, selector, options)
  ),
  waitForUrl: action(Schema.Tuple(Text, withOptions(Options)), (stage, [part, options]) => waitForUrl(stage, part, options)),
  text: action(OnSelector, (stage, [selector]) => read(stage, selector, pageFunctions.text, most)),
  value: action(OnSelector, (stage, [selector]) => read(stage, selector, pageFunctions.value, most)),
  attribute: action(Schema.Tuple(Selector, Schema.String), (stage, [selector, name]) =>
    Effect.map(
      read(stage, selector, pageFunctions.attribute, name, most),
      (found) => Option.match(Schema.decodeUnknownOption(Attribute)(found), { onNone: () => null, onSome: ({ value }) => value })
    )),
  count: action(OnSelector, (stage, [selector]) => stage.session.call(pageFunctions.count, selector)),
  isVisible: action(OnSelector, (stage, [selector]) => stage.session.call(pageFunctions.isShown, selector)),
  title: action(Schema.Tuple(), (stage) => stage.session.call(pageFunctions.title)),
  url: action(Schema.Tuple(), (stage) => stage.session.call(pageFunctions.url)),
  screenshot: action(Schema.Tuple(withOptions(Schema.String)), (stage, [name]) => stage.shoot(name?.slice(0, 100) ?? null))
} as const

type PageAction = keyof typeof actions

const isAction = (name: string): name is PageAction => Object.hasOwn(actions, name)

/** Runs one action; `given` is the JSON of its arguments. The result is JSON. */
export const act = (stage: Stage, name: string, given: string): Effect.Effect<string, PageFailed> => {
  const acted: Acted = isAction(name) ? actions[name](stage, given) : new PageFailed({ message: "there is no such action" })
  return acted.pipe(
    Effect.mapError(({ message }) => new PageFailed({ message })),
    Effect.map((value) => JSON.stringify(value ?? null))
  )
}
