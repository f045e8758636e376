/** Fills the period of a heartbeat from the line of a crontab, and says the next five times of the job. */
import { render } from "preact"
import { useState } from "preact/hooks"
import { cronOf, longestGapOf, runsAfter } from "../../domain/import/Cron.ts"
import { momentsIn } from "../../domain/tools/Moments.ts"
import { writeDuration } from "../../domain/tools/SpokenDuration.ts"
import { make } from "./Dom.ts"

interface Props {
  readonly locale: string
  readonly zone: string
  /** The id of the field of the period. */
  readonly period: string
}

const isProps = (given: unknown): given is Props => typeof given === "object" && given !== null && "period" in given

const examples = [
  ["", "Choose an example…"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 * * * *", "Every hour"],
  ["30 2 * * *", "Every day at 2:30"],
  ["0 6 * * 1-5", "On weekdays at 6:00"],
  ["0 3 * * 0", "Every Sunday at 3:00"],
  ["0 4 1 * *", "On the first of each month"]
] as const

/** The five fields that begin a line of a crontab. */
const scheduleIn = (line: string): string => line.trim().split(/\s+/).slice(0, 5).join(" ")

const Said = ({ line, locale, zone }: Pick<Props, "locale" | "zone"> & { readonly line: string }) => {
  const cron = line.trim() === "" ? null : cronOf(scheduleIn(line))
  const gap = cron === null ? null : longestGapOf(cron)
  const moments = momentsIn(locale, zone, "announced")
  return (
    <div role="status" id="cron-said">
      {line.trim() === "" ? null : cron === null || gap === null ?
        (
          <p class="issue">
            This is no schedule of cron. Write five fields: minute, hour, day of the month, month, weekday, as in 30 2 * * *.
          </p>
        ) :
        (
          <>
            <p class="note">
              {`A ping is expected every ${writeDuration(gap * 1000)}, the longest time between two runs. Next:`}
            </p>
            <ol class="times">{runsAfter(cron, zone, Date.now(), 5).map((at) => <li>{moments.format(at)}</li>)}</ol>
          </>
        )}
    </div>
  )
}

const CronPicker = ({ locale, period, zone: here }: Props) => {
  const [line, setLine] = useState("")
  const [zone, setZone] = useState(here)
  const set = (text: string) => {
    setLine(text)
    const read = cronOf(scheduleIn(text))
    const longest = read === null ? null : longestGapOf(read)
    const field = document.getElementById(period)
    if (longest === null || !(field instanceof HTMLInputElement)) return
    field.value = writeDuration(longest * 1000)
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
  return (
    <div class="picker-lines">
      <div class="inline">
        <div class="field">
          <label for="cron-line">Line of the crontab</label>
          <input
            id="cron-line"
            class="code"
            placeholder="30 2 * * *"
            autocomplete="off"
            spellcheck={false}
            value={line}
            aria-describedby="cron-said"
            onInput={({ currentTarget }) => set(currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="cron-example">Example</label>
          <select id="cron-example" value="" onChange={({ currentTarget }) => set(currentTarget.value)}>
            {examples.map(([value, name]) => <option value={value}>{name}</option>)}
          </select>
        </div>
        <div class="field">
          <label for="cron-zone">Zone of its machine</label>
          <select id="cron-zone" value={zone} onChange={({ currentTarget }) => setZone(currentTarget.value)}>
            {[...new Set([here, "UTC"])].map((one) => <option value={one}>{one}</option>)}
          </select>
        </div>
      </div>
      <Said line={line} locale={locale} zone={zone} />
    </div>
  )
}

export const mount = (element: HTMLElement, props: unknown): void => {
  if (!isProps(props)) return
  const place = make("div")
  element.replaceChildren(place)
  render(<CronPicker {...props} />, place)
}
