/** Says the next five times of a heartbeat's schedule while it is typed, as the interface knows them, and offers examples. */
import { render } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { momentsIn } from "../../../domain/tools/time/Moments.ts"
import { make } from "../Dom.ts"

interface Props {
  readonly locale: string
}

const isProps = (given: unknown): given is Props => typeof given === "object" && given !== null && "locale" in given

const examples = [
  ["", "Choose an example…"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 * * * *", "Every hour"],
  ["30 2 * * *", "Every day at 2:30"],
  ["0 6 * * 1-5", "On weekdays at 6:00"],
  ["0 3 * * 0", "Every Sunday at 3:00"],
  ["0 4 1 * *", "On the first of each month"],
  ["0 4 L * *", "On the last day of each month"],
  ["Mon..Fri *-*-* 18:00", "systemd: on weekdays at 18:00"]
] as const

interface Previewed {
  readonly words: string
  readonly times: ReadonlyArray<{ readonly at: string; readonly note: string | null }>
}

interface Refusal {
  readonly message?: string
  readonly details?: ReadonlyArray<{ readonly message: string }>
}

/** The answer of the interface: the next times, or what is wrong with the schedule. */
const readTimes = async (schedule: string, timezone: string, signal: AbortSignal): Promise<Previewed | string> => {
  const query = new URLSearchParams({ schedule, ...(timezone === "" ? {} : { timezone }) }).toString()
  const answer = await fetch(`/api/v1/heartbeats/times?${query}`, { signal })
  const body: Previewed & { readonly error?: Refusal } = await answer.json()
  if (body.error === undefined) return body
  return body.error.details?.[0]?.message ?? body.error.message ?? "The schedule cannot be read."
}

const textOf = (fields: HTMLFormElement, name: string): string => {
  const field = fields.elements.namedItem(name)
  return field instanceof HTMLInputElement ? field.value.trim() : ""
}

/** The five fields of a line that is pasted from a crontab with its command. */
const withoutCommand = (line: string): string => {
  const [, fields, rest = ""] = /^\s*((?:[\d*?,/#LW+a-z-]+\s+){4}[\d*?,/#LW+a-z-]+)\s+(\S.*)$/i.exec(line) ?? []
  return fields === undefined || /^[\d*?,#LW+a-z-]+(?:\/\d+)?$/i.test(rest) ? line : fields
}

const Said = ({ locale, said, zone }: Props & { readonly said: Previewed | string | null; readonly zone: string }) => {
  if (said === null) return <p class="note">Type a schedule to see its next five times.</p>
  if (typeof said === "string") return <p class="issue">{said}</p>
  const moments = momentsIn(locale, Intl.supportedValuesOf("timeZone").includes(zone) ? zone : "UTC", "announced")
  return (
    <>
      <p class="note">{`A ping is expected ${said.words}. Next:`}</p>
      <ol class="times">
        {said.times.map(({ at, note }) => <li>{moments.format(Date.parse(at))}{note === null ? "" : `. ${note}.`}</li>)}
      </ol>
    </>
  )
}

const Times = ({ fields, locale }: Props & { readonly fields: HTMLFormElement }) => {
  const [typed, setTyped] = useState([textOf(fields, "schedule"), textOf(fields, "timezone")] as const)
  const [said, setSaid] = useState<Previewed | string | null>(null)
  const [schedule, zone] = typed
  // As the script starts, not a frame later: what is typed meanwhile would be missed.
  useLayoutEffect(() => {
    const changed = () => setTyped([textOf(fields, "schedule"), textOf(fields, "timezone")])
    fields.addEventListener("input", changed)
    return () => fields.removeEventListener("input", changed)
  }, [])
  useEffect(() => {
    if (schedule === "") return setSaid(null)
    const asked = new AbortController()
    const failed = () => asked.signal.aborted || setSaid("The next times could not be read. Type on to try again.")
    const timer = setTimeout(() => void readTimes(schedule, zone, asked.signal).then(setSaid, failed), 200)
    return () => {
      clearTimeout(timer)
      asked.abort()
    }
  }, [schedule, zone])
  const set = (text: string) => {
    const field = fields.elements.namedItem("schedule")
    if (!(field instanceof HTMLInputElement) || text === "" || text === field.value) return
    field.value = text
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
  useLayoutEffect(() => {
    const field = fields.elements.namedItem("schedule")
    const left = () => set(withoutCommand(textOf(fields, "schedule")))
    field instanceof HTMLInputElement && field.addEventListener("change", left)
    return () => field instanceof HTMLInputElement && field.removeEventListener("change", left)
  }, [])
  return (
    <div class="picker-lines">
      <div class="field">
        <label for="schedule-example">Example</label>
        <select id="schedule-example" value="" onChange={({ currentTarget }) => set(currentTarget.value)}>
          {examples.map(([value, name]) => <option value={value}>{name}</option>)}
        </select>
      </div>
      <div role="status" id="schedule-said">
        <Said locale={locale} said={said} zone={zone === "" ? "UTC" : zone} />
      </div>
    </div>
  )
}

export const mount = (element: HTMLElement, props: unknown): void => {
  const fields = element.closest("form")
  if (fields === null || !isProps(props)) return
  const box = make("div")
  element.replaceChildren(box)
  render(<Times fields={fields} locale={props.locale} />, box)
}
