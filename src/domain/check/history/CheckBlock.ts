/** A block of successive checks of one monitor, column by column, which compresses well; the random parts of ids are apart. */
import { Schema } from "effect"
import { Cause, Outcome, Timings } from "../../../../schema/check/Check.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { CheckId } from "../../../../schema/Ids.ts"
import { type ByteReader, type ByteWriter, makeByteReader, makeByteWriter } from "../../tools/Bytes.ts"
import { idBytes, idOf, timeOfBytes } from "../../tools/Id.ts"
import { hasTag, setTag } from "./CheckKey.ts"
import type { StoredCheck } from "./StoredCheck.ts"

const units = [1, 10, 100, 1000]
const most = 2 ** 50
/** Stands for the form that keeps each value's eight bytes. */
const plain = units.length

const isExact = (value: number, unit: number): boolean => {
  const scaled = Math.round(value * unit)
  return scaled >= 0 && scaled < most && Object.is(scaled / unit, value)
}

const unitOf = (values: ReadonlyArray<number | null>): number => {
  const index = units.findIndex((unit) => values.every((value) => value === null || isExact(value, unit)))
  return index < 0 ? plain : index
}

/** Numbers in few bytes: whole ones of the coarsest unit that loses nothing, else as they are. The reader must know how many. */
const writeNumbers = (writer: ByteWriter, values: ReadonlyArray<number | null>): void => {
  const form = unitOf(values)
  const unit = units[form]
  writer.whole(form)
  for (const value of values) {
    if (value === null) writer.whole(0)
    else if (unit !== undefined) writer.whole(Math.round(value * unit) + 1)
    else {
      writer.whole(1)
      writer.float(value)
    }
  }
}

const readNumbers = (reader: ByteReader, count: number): ReadonlyArray<number | null> => {
  const unit = units[reader.whole()]
  return Array.from({ length: count }, () => {
    const value = reader.whole()
    return value === 0 ? null : unit === undefined ? reader.float() : (value - 1) / unit
  })
}

export type IdForm =
  /** Without their time and their monitor's tag: 6 bytes each. */
  | "tagged"
  /** Without their time: the last 10 bytes of each, which a search finds in the block. */
  | "foreign"
  /** As texts, because they are of another form or time. */
  | "texts"

interface EncodedBlock {
  readonly form: IdForm
  /** The parts of the ids that do not follow from their time and tag; empty for `texts`. */
  readonly ids: Uint8Array
  /** All else; worth compressing. */
  readonly columns: Uint8Array
}

const outcomes = Outcome.literals
const hasTimings = 1
const totalDiffers = 2
const otherTimings = 4
const timingNames = ["dnsMs", "connectMs", "tlsMs", "firstByteMs"] as const
const knownTimings = new Set<string>([...timingNames, "totalMs"])

const isCause = Schema.is(Cause)
const isTimings = Schema.is(Timings)

/** By region, then by time: within a region, checks follow one another at nearly equal distances. */
const blockOrder = (one: StoredCheck, other: StoredCheck): number =>
  one.region === other.region ? one.at - other.at || (one.id < other.id ? -1 : 1) : one.region < other.region ? -1 : 1

const formOf = (checks: ReadonlyArray<StoredCheck>, ids: ReadonlyArray<Uint8Array | null>, tag: number): IdForm => {
  if (!ids.every((bytes, index) => bytes !== null && timeOfBytes(bytes) === checks[index]?.at)) return "texts"
  return ids.every((bytes) => bytes !== null && hasTag(bytes, tag)) ? "tagged" : "foreign"
}

/** The bytes of an id that do not follow from its time and tag. */
const keptBytes = (bytes: Uint8Array, form: IdForm): Uint8Array =>
  form === "tagged" ? Uint8Array.of(...bytes.subarray(6, 9), ...bytes.subarray(13, 16)) : bytes.slice(6, 16)

/** The bytes of an id that a block of the form `foreign` contains. */
export const foreignBytes = (id: string): Uint8Array | null => {
  const bytes = idBytes(id)
  return bytes === null ? null : keptBytes(bytes, "foreign")
}

const timingForm = ({ latencyMs, timings }: StoredCheck): number =>
  timings === null
    ? 0
    : !Object.keys(timings).every((name) => knownTimings.has(name))
    ? otherTimings
    : timings.totalMs === latencyMs
    ? hasTimings
    : hasTimings | totalDiffers

/** Bits of a check's flags: outcome 0 and 1, counted 2, evidence 3, form of the timings 4 to 6. */
const flagsOf = (check: StoredCheck): number =>
  outcomes.indexOf(check.outcome) + (check.counted ? 4 : 0) + (check.hasEvidence ? 8 : 0) + timingForm(check) * 16

/** Writes texts as their indexes in a list of the distinct ones. */
const makeTextColumns = () => {
  const indexes = new Map<string, number>()
  return {
    indexOf: (text: string | null): number => {
      if (text === null) return 0
      const index = indexes.get(text) ?? indexes.size + 1
      indexes.set(text, index)
      return index
    },
    write: (writer: ByteWriter): void => {
      writer.whole(indexes.size)
      for (const text of indexes.keys()) writer.text(text)
    }
  }
}

const middleOf = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

const writeTimes = (writer: ByteWriter, sorted: ReadonlyArray<StoredCheck>): void => {
  const steps = sorted.flatMap((check, index) => {
    const before = sorted[index - 1]
    return before?.region === check.region ? [check.at - before.at] : []
  })
  const usual = middleOf(steps)
  const base = sorted.reduce((least, { at }) => Math.min(least, at), Infinity)
  writer.whole(base)
  writer.whole(usual)
  sorted.forEach((check, index) => {
    const before = sorted[index - 1]
    writer.signed(before?.region === check.region ? check.at - before.at - usual : check.at - base)
  })
}

const readTimes = (reader: ByteReader, regions: ReadonlyArray<number>): ReadonlyArray<number> => {
  const base = reader.whole()
  const usual = reader.whole()
  let at = base
  return regions.map((region, index) => {
    const step = reader.signed()
    at = regions[index - 1] === region ? at + usual + step : base + step
    return at
  })
}

const writeTimings = (writer: ByteWriter, sorted: ReadonlyArray<StoredCheck>): void => {
  const usual = sorted.flatMap((check) => check.timings !== null && timingForm(check) !== otherTimings ? [check.timings] : [])
  for (const name of timingNames) writeNumbers(writer, usual.map((timings) => timings[name]))
  const totals = sorted.flatMap((check) =>
    check.timings !== null && timingForm(check) === (hasTimings | totalDiffers) ? [check.timings.totalMs] : []
  )
  writeNumbers(writer, totals)
  for (const check of sorted) if (timingForm(check) === otherTimings) writer.text(JSON.stringify(check.timings))
}

const readTimings = (
  reader: ByteReader,
  forms: ReadonlyArray<number>,
  latencies: ReadonlyArray<number | null>
): ReadonlyArray<Timings | null> => {
  const usual = forms.filter((form) => (form & hasTimings) !== 0).length
  const [dns = [], connect = [], tls = [], firstByte = []] = timingNames.map(() => readNumbers(reader, usual))
  const totals = readNumbers(reader, forms.filter((form) => (form & totalDiffers) !== 0).length)
  let row = 0
  let total = 0
  return forms.map((form, index) => {
    if (form === 0) return null
    if (form === otherTimings) {
      const other: unknown = JSON.parse(reader.text())
      return isTimings(other) ? other : null
    }
    const at = row++
    return {
      dnsMs: dns[at] ?? null,
      connectMs: connect[at] ?? null,
      tlsMs: tls[at] ?? null,
      firstByteMs: firstByte[at] ?? null,
      totalMs: ((form & totalDiffers) === 0 ? latencies[index] : totals[total++]) ?? 0
    }
  })
}

/** Encodes checks of one monitor, in any order. `tag`: the monitor's. */
export const encodeBlock = (checks: ReadonlyArray<StoredCheck>, tag: number): EncodedBlock => {
  const sorted = [...checks].sort(blockOrder)
  const ids = sorted.map(({ id }) => idBytes(id))
  const form = formOf(sorted, ids, tag)
  const random = makeByteWriter()
  if (form !== "texts") { for (const bytes of ids) if (bytes !== null) random.raw(keptBytes(bytes, form)) }
  const writer = makeByteWriter()
  writer.whole(sorted.length)
  const texts = makeTextColumns()
  const indexes = sorted.map(({ cause, error, omitted, region }) => [region, error, cause, omitted].map(texts.indexOf))
  texts.write(writer)
  for (let column = 0; column < 4; column++) for (const row of indexes) writer.whole(row[column] ?? 0)
  writeTimes(writer, sorted)
  for (const check of sorted) writer.whole(flagsOf(check))
  writeNumbers(writer, sorted.map(({ statusCode }) => statusCode))
  writeNumbers(writer, sorted.map(({ latencyMs }) => latencyMs))
  writeTimings(writer, sorted)
  if (form === "texts") { for (const { id } of sorted) writer.text(id) }
  return { form, ids: random.bytes(), columns: writer.bytes() }
}

const makeIdReader = ({ form, ids }: EncodedBlock, tag: number, texts: ByteReader) => {
  const kept = form === "tagged" ? 6 : 10
  return (index: number, at: number): CheckId => {
    if (form === "texts") return CheckId.make(texts.text(), { disableValidation: true })
    const part = ids.subarray(index * kept, (index + 1) * kept)
    const bytes = new Uint8Array(16)
    for (let byte = 5, rest = at; byte >= 0; byte--, rest = Math.floor(rest / 256)) bytes[byte] = rest % 256
    bytes.set(form === "tagged" ? part.subarray(0, 3) : part, 6)
    if (form === "tagged") {
      setTag(bytes, tag)
      bytes.set(part.subarray(3), 13)
    }
    return CheckId.make(idOf("chk", bytes), { disableValidation: true })
  }
}

export const decodeBlock = (block: EncodedBlock, tag: number): ReadonlyArray<StoredCheck> => {
  const reader = makeByteReader(block.columns)
  const count = reader.whole()
  const texts = Array.from({ length: reader.whole() }, () => reader.text())
  const column = () => Array.from({ length: count }, () => reader.whole())
  const [regions, errors, causes, omissions] = [column(), column(), column(), column()]
  const times = readTimes(reader, regions)
  const flags = column()
  const statuses = readNumbers(reader, count)
  const latencies = readNumbers(reader, count)
  const timings = readTimings(reader, flags.map((flag) => flag >> 4), latencies)
  const idAt = makeIdReader(block, tag, reader)
  const textAt = (indexes: ReadonlyArray<number>, index: number): string | null => texts[(indexes[index] ?? 0) - 1] ?? null
  return times.map((at, index) => {
    const flag = flags[index] ?? 0
    const cause = textAt(causes, index)
    return {
      id: idAt(index, at),
      at,
      region: RegionId.make(textAt(regions, index) ?? "", { disableValidation: true }),
      outcome: outcomes[flag & 3] ?? "down",
      counted: (flag & 4) !== 0,
      statusCode: statuses[index] ?? null,
      latencyMs: latencies[index] ?? null,
      error: textAt(errors, index),
      cause: isCause(cause) ? cause : null,
      timings: timings[index] ?? null,
      hasEvidence: (flag & 8) !== 0,
      omitted: textAt(omissions, index)
    }
  })
}
