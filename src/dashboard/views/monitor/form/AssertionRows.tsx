/** The assertions of a monitor as rows of fields. A script adds rows, and fills them from the last answer. */
import type { Evidence } from "../../../../../schema/check/Check.ts"
import { Assertion } from "../../../../../schema/monitor/Assertion.ts"
import { BareInput, BareSelect } from "../../../design/BareControls.tsx"
import { useTyped } from "../../../design/FieldState.tsx"
import { Island } from "../../../design/Parts.tsx"

const sourceNames = {
  status: "Status code",
  latency: "Latency, ms",
  header: "Header",
  body: "Body",
  json: "JSON path",
  ssl_days: "Certificate days left"
} as const satisfies Record<Assertion["source"], string>

const opNames = {
  eq: "equals",
  neq: "does not equal",
  lt: "is below",
  lte: "is at most",
  gt: "is above",
  gte: "is at least",
  contains: "contains",
  not_contains: "does not contain",
  matches: "matches the pattern",
  exists: "exists",
  not_exists: "does not exist"
} as const satisfies Record<Assertion["op"], string>

/** Rows to fill in, besides those that are filled. */
const spare = 2

const mostRows = 30

/** A row as it is stored; every part of one to fill in is missing. */
interface Row extends Partial<Omit<Assertion, "value">> {
  readonly value?: string | number | boolean
}

/** The stored rows; after a submission, empty ones up to the last row typed: fields show the typed values. */
const useRows = (stored: ReadonlyArray<Assertion>): ReadonlyArray<Row> => {
  const typed = useTyped()
  if (typed === null) return stored
  const filled = [...typed].filter(([, values]) => values.some((value) => value !== "")).map(([name]) => name)
  const count = Math.max(0, ...filled.map((name) => Number(/^assertions\.(\d+)\./.exec(name)?.[1] ?? -1) + 1))
  return Array.from({ length: count }, () => ({}))
}

const optionsOf = (of: ReadonlyArray<string>, names: Readonly<Record<string, string>>) =>
  [["", ""], ...of.map((name) => [name, names[name] ?? name] as const)] as const

const AssertionRow = ({ index, row, sources }: {
  readonly index: number
  readonly row: Row
  readonly sources: ReadonlyArray<Assertion["source"]>
}) => {
  const name = (part: string) => `assertions.${index}.${part}`
  const number = index + 1
  return (
    <li class="assertion">
      <BareSelect
        name={name("source")}
        label={`Assertion ${number}: what to look at`}
        value={row.source}
        options={optionsOf(sources, sourceNames)}
      />
      <BareInput
        name={name("path")}
        label={`Assertion ${number}: header name or JSON path`}
        value={row.path}
        attributes={{ maxlength: 300, placeholder: "path or header" }}
      />
      <BareSelect
        name={name("op")}
        label={`Assertion ${number}: comparison`}
        value={row.op}
        options={optionsOf(Assertion.fields.op.literals, opNames)}
      />
      <BareInput
        name={name("value")}
        label={`Assertion ${number}: value`}
        value={row.value === undefined ? "" : String(row.value)}
        attributes={{ maxlength: 2000, placeholder: "value" }}
      />
      <BareSelect
        name={name("severity")}
        label={`Assertion ${number}: outcome if it fails`}
        value={row.severity}
        options={[["", "is down"], ["degraded", "is degraded"]]}
      />
      <button type="button" class="plain tight" data-remove hidden aria-label={`Remove assertion ${number}`}>Remove</button>
    </li>
  )
}

/** The parts of an answer to pick from. */
export const seenIn = (
  { evidence, latencyMs, statusCode }: {
    readonly evidence: Evidence
    readonly statusCode: number | null
    readonly latencyMs: number | null
  }
) => ({
  statusCode,
  latencyMs,
  headers: evidence.responseHeaders,
  body: evidence.body,
  daysLeft: evidence.certificate?.daysLeft ?? null
})

type SeenAnswer = ReturnType<typeof seenIn>

export const AssertionRows = ({ seen, sources, stored }: {
  readonly stored: ReadonlyArray<Assertion>
  readonly sources: ReadonlyArray<Assertion["source"]>
  readonly seen: SeenAnswer | null
}) => {
  const rows = useRows(stored)
  const shown = [...rows, ...Array.from({ length: spare }, (): Row => ({}))].slice(0, mostRows)
  return (
    <fieldset id="assertions">
      <legend>Assertions</legend>
      <p class="note">
        Conditions that the response must meet; otherwise the check is down or degraded. Rows without a source are ignored. If a
        JSON path such as <code>$.checks[*].status</code> selects several values, each must meet the condition.
      </p>
      <input type="hidden" name="assertions:list" value="" />
      <ol class="assertions">
        {shown.map((row, index) => <AssertionRow index={index} row={row} sources={sources} />)}
      </ol>
      <Island name="assertions" props={{ seen, sources }} keep>
        {seen === null ? <p class="note">Run a check to build assertions from its answer.</p> : null}
      </Island>
    </fieldset>
  )
}
