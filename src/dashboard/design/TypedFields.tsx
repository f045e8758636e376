/** The values typed into a form that cannot be shown again: as text to copy, and as fields to send again. */

export type FieldEntries = ReadonlyArray<readonly [name: string, value: string]>

/** Names of fields that hold a secret: sent again, but not shown. */
const secret = /password|secret|token|key|code|passphrase/i

/** An id that a view put into the form; nobody typed it. */
const isId = (value: string): boolean => /^[a-z]{2,6}_[0-9A-Za-z]{8,}$/.test(value)

/** False for the form's own fields, ids of records, boxes, secrets and empty fields. */
const isTyped = ([name, value]: FieldEntries[number]): boolean =>
  !/^_|:(?:boolean|key)$/.test(name) && !secret.test(name) && value.trim() !== "" && !isId(value)

/** `quietHours.days.0:number` as `Quiet hours, days 1`. */
export const fieldLabel = (name: string): string => {
  const path = name.replace(/:[^:]*$/, "").split(".")
  const said = path.map((part) =>
    /^\d+$/.test(part) ? String(Number(part) + 1) : part.replace(/[A-Z]/g, (upper) => ` ${upper.toLowerCase()}`)
  ).join(", ").replace(/, (\d+)/g, " $1")
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`
}

export const TypedFields = ({ fields }: { readonly fields: FieldEntries }) => {
  const fixed = new Set(fields.find(([name]) => name === "_fixed")?.[1].split(" "))
  const typed = fields.filter((field) => isTyped(field) && !fixed.has(field[0]))
  return typed.length === 0 ? null : (
    <dl class="typed">
      {typed.map(([name, value]) => (
        <>
          <dt>{fieldLabel(name)}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  )
}

/** Failures that pass, so that the same form may succeed later. */
export const passes = (status: number): boolean => status === 429 || status >= 500

/** The form with all typed values, including hidden ones. */
export const SendAgain = ({ action, fields }: {
  readonly action: string
  readonly fields: FieldEntries
}) => (
  <form method="post" action={action}>
    {fields.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
    <button>Send the form again</button>
  </form>
)
