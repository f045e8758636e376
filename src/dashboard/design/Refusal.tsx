/** Shows why an operation refused, the next step, and the typed values if the form cannot be shown. */
import { withLabels } from "../frame/ProblemWords.ts"
import type { Refused } from "../frame/Refused.ts"
import type { Submitted } from "../frame/Visit.ts"
import { passes, SendAgain, TypedFields } from "./TypedFields.tsx"

const sentence = (text: string): string => text.replace(/[.?!]?$/, (end) => end === "" ? "." : end)

const inWords = (seconds: number): string =>
  seconds < 120
    ? new Intl.NumberFormat("en", { style: "unit", unit: "second", unitDisplay: "long" }).format(seconds)
    : new Intl.NumberFormat("en", { style: "unit", unit: "minute", unitDisplay: "long" }).format(Math.ceil(seconds / 60))

/** The next step by status, for refusals without a hint. */
const steps: Readonly<Record<number, string>> = {
  403: "Ask an owner or admin of the workspace",
  404: "It may have been deleted in the meantime",
  409: "Check what the page shows now, then send the form again",
  429: "Wait a little, then send the form again",
  500: "Send the form again",
  503: "Nothing was changed. Send the form again in a few seconds"
}

/** Some hints are for programs: they name requests to make. A form repeats its key by itself. */
const forPeople = (hint: string | null): string | null =>
  hint === null || hint.includes("/api/v1") ? null : hint.replace(" with the same Idempotency-Key", "")

export const nextStep = ({ hint, retryAfterSec, status }: Refused): string | null => {
  const said = forPeople(hint) ??
    (retryAfterSec === null ? steps[status] ?? null : `Try again in ${inWords(retryAfterSec)}`)
  return said === null ? null : sentence(said)
}

const mark = (form: string) => ({ "data-refusal": form })

/** Whether a rendered view shows the refusal of a form where the form stands. */
export const showsRefusal = (html: string, form: string): boolean =>
  html.includes(`data-refusal="${form.replaceAll("&", "&amp;").replaceAll("\"", "&quot;").replaceAll("<", "&lt;")}"`)

/** The refusal in a few words: the refused fields are listed below it. */
const titleOf = ({ problems }: Submitted, { code, message }: Refused): string => {
  const inFields = problems.filter(({ field }) => field !== null).length
  return code !== "validation_failed" || inFields === 0
    ? sentence(withLabels(message, []))
    : inFields === 1
    ? "One field needs your attention."
    : `${inFields} fields need your attention.`
}

/** Everything that an operation refused, with links to the fields. What the title says already is not listed. */
export const Refusal = ({ submitted }: { readonly submitted: Submitted }) => {
  const { form, problems, refused } = submitted
  if (refused === null) return null
  const title = titleOf(submitted, refused)
  const next = nextStep(refused)
  const listed = problems.filter(({ text }) => text !== title)
  return (
    <div class="wrong" role="alert" tabindex={-1} data-focus {...mark(form)}>
      <b>{title}</b>
      {next === null ? null : <span>{next}</span>}
      {listed.length === 0 ? null : (
        <ul>
          {listed.map(({ field, text }) => (
            <li>
              {field === null ? text : (
                <>
                  <a href={`#${field.id}`}>{field.label === "" ? "This field" : field.label}</a>: {text}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** A refused form that its view does not show: the record is gone, or the person may not use the form any more. */
export const Unsent = ({ submitted }: { readonly submitted: Submitted }) => {
  const { action, refused, typed } = submitted
  const fields = [...typed].flatMap(([name, values]) => values.map((value) => [name, value] as const))
  return refused === null ? null : (
    <section class="unsent" aria-label="The form that was refused">
      <Refusal submitted={submitted} />
      <TypedFields fields={fields} />
      {passes(refused.status) ? <SendAgain action={action} fields={fields} /> : null}
    </section>
  )
}
