/** Converts a workspace document for an import. Its secrets are masked: things that need them are listed, never guessed. */
import { type DateTime, Struct } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { MonitorInput } from "../../../../schema/monitor/Monitor.ts"
import type {
  ChannelEntry,
  ComponentEntry,
  MonitorEntry,
  PageEntry,
  ScheduleEntry,
  WorkspaceDocument
} from "../../../../schema/plan/WorkspaceDocument.ts"
import { endedNote, hasEnded } from "../../oncall/Overrides.ts"
import { dependencyOrder } from "../../plan/DependencyOrder.ts"
import { makeNotes, type Notes } from "../Carry.ts"
import {
  emptyInventory,
  type FoundChannel,
  type FoundComponent,
  type FoundMonitor,
  type FoundPage,
  type FoundSchedule,
  type Inventory
} from "../Inventory.ts"

const isHidden = (value: unknown): boolean => typeof value === "string" && value.includes(mask)

/** The headers whose values are in the document; the others are notes. */
const knownHeaders = (notes: Notes, headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      if (isHidden(value)) notes.say(`The value of the header ${name} is hidden in the document; set it again`)
      return !isHidden(value)
    })
  )

const foundChannel = ({ key, ...input }: ChannelEntry): FoundChannel => {
  const notes = makeNotes()
  const headers = knownHeaders(notes, input.headers)
  const hidden = Object.entries(input).filter(([, value]) => isHidden(value)).map(([name]) => name)
  for (const name of hidden) notes.say(`Its ${name} is hidden in the document; put the real value there, or create it by hand`)
  const carried = input.headers === undefined ? input : { ...input, headers }
  return { ref: `channel:${key}`, name: input.name, notes: notes.all, input: hidden.length > 0 ? null : carried }
}

/** A client certificate goes with its key, and client credentials with their secret. */
const withoutHidden = (input: MonitorInput, hidden: ReadonlyArray<"body" | "clientKey" | "clientSecret">): MonitorInput =>
  Struct.omit(
    input,
    ...hidden,
    ...(hidden.includes("clientKey") ? ["clientCertificate" as const] : []),
    ...(hidden.includes("clientSecret") ? ["tokenUrl" as const, "clientId" as const, "scope" as const] : [])
  )

/** A monitor that lost a secret would fail immediately, so it starts paused. */
const foundMonitor = (isCircular: boolean) => ({ channels, dependsOn = [], key, ...input }: MonitorEntry): FoundMonitor => {
  const notes = makeNotes()
  const headers = knownHeaders(notes, input.headers)
  const hidden = (["body", "clientKey", "clientSecret"] as const).filter((name) => isHidden(input[name]))
  for (const name of hidden) notes.say(`Its ${name} is hidden in the document; set it again`)
  const isWhole = notes.all.length === 0
  if (!isWhole) notes.say("It starts paused")
  if (isHidden(input.url)) notes.say("A part of its URL is hidden in the document; put the real one there, or create it by hand")
  const whole = input.headers === undefined ? input : { ...input, headers }
  const carried = isWhole ? whole : { ...withoutHidden(whole, hidden), paused: true }
  if (isCircular) notes.say("It depends on itself, directly or through others; its dependencies are not carried")
  return {
    ref: `monitor:${key}`,
    name: input.name,
    notes: notes.all,
    input: isHidden(input.url) ? null : carried,
    channelRefs: channels === undefined ? null : channels.map((channel) => `channel:${channel}`),
    dependsOnRefs: isCircular ? [] : dependsOn.map((parent) => `monitor:${parent}`)
  }
}

const foundComponent = (page: string) => ({ key, manifest, monitors = [], ...input }: ComponentEntry): FoundComponent => ({
  ref: `component:${page}/${key}`,
  name: input.name,
  notes: [],
  input: { ...input, key },
  monitorRefs: monitors.map((monitor) => `monitor:${monitor}`),
  manifest: manifest === undefined ? null : { monitorRef: `monitor:${manifest.monitor}`, key: manifest.key },
  status: null
})

/** Without its password, a page shows itself to members only. */
const foundPage = ({ components = [], groups = [], key, password, ...input }: PageEntry): FoundPage => {
  const notes = makeNotes()
  if (password === mask) notes.say("Its password is hidden in the document; set it again. Until then only members see the page")
  return {
    ref: `page:${key}`,
    name: input.name,
    notes: notes.all,
    input: password === undefined || password === mask ? input : { ...input, password },
    groups,
    components: components.map(foundComponent(key))
  }
}

const foundSchedule = (now: DateTime.Utc) => (entry: ScheduleEntry): FoundSchedule => ({
  ref: `schedule:${entry.key}`,
  name: entry.name,
  notes: endedNote((entry.overrides ?? []).filter((one) => hasEnded(one, now)).length),
  entry
})

export const documentInventory = (
  { channels = [], monitors = [], pages = [], policies = [], schedules = [], templates = [] }: WorkspaceDocument,
  now: DateTime.Utc
): Inventory => {
  const { circular, ordered } = dependencyOrder(monitors)
  return {
    ...emptyInventory,
    channels: channels.map(foundChannel),
    monitors: [...ordered.map(foundMonitor(false)), ...circular.map(foundMonitor(true))],
    pages: pages.map(foundPage),
    schedules: schedules.map(foundSchedule(now)),
    policies: policies.map((entry) => ({ ref: `policy:${entry.key}`, name: entry.name, notes: [], entry })),
    templates: templates.map((entry) => ({ ref: `template:${entry.key}`, name: entry.name, notes: [], entry }))
  }
}
