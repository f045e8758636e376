/**
 * Parses a long JSON text of a stranger in steps: JSON.parse takes 0.1 to 0.2 s for 4 MiB of different keys. Large containers are taken
 * apart where their members end, and JSON.parse reads a few members at a time.
 */
import { Either, Option, Predicate } from "effect"
import {
  backslash,
  closing,
  comma,
  type JsonLimits,
  type JsonRefusal,
  opening,
  parseBoundedJson,
  parseJson,
  quote,
  withoutKind
} from "./BoundedJson.ts"

/** Texts up to this length are parsed in one step: at most about 10 ms. */
const inOneStep = 256 * 1024
/** Characters that one step parses, or twice as many; a string of any length is one step. */
const perParse = 64 * 1024
/** Characters that one step looks through: about 2 ms. */
const perScan = 512 * 1024

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** The index of the next non-space character; the end of the text if there is none. */
const afterSpace = (text: string, from: number): number => {
  const other = /[^ \n\r\t]/g
  other.lastIndex = from
  return other.exec(text)?.index ?? text.length
}

const isBlank = (text: string): boolean => afterSpace(text, 0) === text.length

/** The ends of the containers that are taken apart, by their beginnings; or why the text is refused. */
type Outline = Either.Either<ReadonlyMap<number, number>, JsonRefusal>

function* outline(text: string, limits: JsonLimits): Generator<void, Outline> {
  const large = new Map<number, number>()
  const open: Array<number> = []
  let inString = false
  let entries = 0
  for (let at = 0, paused = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (code === comma) entries++
    else if ((code & withoutKind) === opening) {
      entries++
      if (open.push(at) > limits.depth) return Either.left("too deep")
    } else if ((code & withoutKind) === closing) {
      const from = open.pop()
      if (from === undefined) return Either.left("invalid")
      if (at - from >= perParse) large.set(from, at + 1)
    }
    if (entries > limits.entries) return Either.left("too many entries")
    if (at - paused >= perScan) {
      paused = at
      yield
    }
  }
  return open.length > 0 ? Either.left("invalid") : Either.right(large)
}

/** To JSON.parse, `__proto__` is a key like any other; an assignment would set the prototype. */
const setMember = (target: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__") Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
  else target[key] = value
}

/** A container whose members arrive in groups. */
interface Builder {
  readonly value: object
  readonly addAll: (members: string) => boolean
  /** Takes in a value. `before` is the text between the comma before it and the value; false if that cannot stand there. */
  readonly add: (before: string, value: unknown) => boolean
}

const arrayBuilder = (): Builder => {
  const value: Array<unknown> = []
  return {
    value,
    addAll: (members) => {
      const items = isBlank(members) ? null : Option.getOrNull(parseJson(`[${members}]`))
      if (!Array.isArray(items)) return false
      for (const item of items) value.push(item)
      return true
    },
    add: (before, item) => isBlank(before) && value.push(item) > 0
  }
}

const objectBuilder = (): Builder => {
  const value: Record<string, unknown> = {}
  const read = (members: string) => {
    const found = isBlank(members) ? null : Option.getOrNull(parseJson(`{${members}}`))
    return Predicate.isRecord(found) ? found : null
  }
  return {
    value,
    addAll: (members) => {
      const found = read(members)
      if (found === null) return false
      for (const [key, member] of Object.entries(found)) setMember(value, key, member)
      return true
    },
    // An empty string in the value's place: unlike a number, it cannot continue what should not be there.
    add: (before, member) => {
      const [key] = Object.keys(read(`${before}""`) ?? {})
      if (key === undefined) return false
      setMember(value, key, member)
      return true
    }
  }
}

/** The value of a container that is taken apart; null if the text is no JSON. */
function* readLarge(text: string, from: number, large: ReadonlyMap<number, number>): Generator<void, object | null> {
  const end = (large.get(from) ?? text.length) - 1
  const isArray = text[from] === "["
  if (text[end] !== (isArray ? "]" : "}")) return null
  const builder = isArray ? arrayBuilder() : objectBuilder()
  /** Where the members begin that were not taken in yet, whether there is anything of them, and where the last begins. */
  let group = from + 1
  let isEmpty = true
  let member = group
  /** Behind a value that was taken in alone, only a comma or the end may come. */
  let isAlone = false
  let inString = false
  let depth = 0
  for (let at = group, paused = at; at < end; at++) {
    if (at - paused >= perScan) {
      paused = at
      yield
    }
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at++
      else if (code === quote) inString = false
      continue
    }
    if (isSpace(code)) continue
    const inner = (code & withoutKind) === opening ? large.get(at) : undefined
    if (inner !== undefined) {
      if (member > group && !builder.addAll(text.slice(group, member - 1))) return null
      const value = yield* readLarge(text, at, large)
      if (value === null || !builder.add(text.slice(member, at), value)) return null
      at = inner - 1
      paused = at
      group = inner
      isEmpty = true
      isAlone = true
    } else if (code === comma && depth === 0) {
      if (isAlone && !isEmpty) return null
      isEmpty = isAlone
      if (!isAlone && at - group >= perParse) {
        if (!builder.addAll(text.slice(group, at))) return null
        isEmpty = true
        yield
      }
      if (isEmpty) group = at + 1
      isAlone = false
      member = at + 1
    } else {
      isEmpty = false
      if (code === quote) inString = true
      else if ((code & withoutKind) === opening) depth++
      else if ((code & withoutKind) === closing) depth--
    }
  }
  const isCut = isAlone ? !isEmpty : isEmpty && group > from + 1
  if (isCut || !isEmpty && !builder.addAll(text.slice(group, end))) return null
  yield
  return builder.value
}

/** The same as `parseBoundedJson`, which parses a text that is not long, in steps. */
export function* boundedJsonInSteps(text: string, limits: JsonLimits): Generator<void, Either.Either<unknown, JsonRefusal>> {
  if (text.length <= inOneStep) return parseBoundedJson(text, limits)
  const found = yield* outline(text, limits)
  if (Either.isLeft(found)) return Either.left(found.left)
  const start = afterSpace(text, 0)
  const end = found.right.get(start)
  const value = end === undefined
    ? parseJson(text)
    : afterSpace(text, end) < text.length
    ? Option.none()
    : Option.fromNullable(yield* readLarge(text, start, found.right))
  return Either.fromOption(value, () => "invalid" as const)
}
