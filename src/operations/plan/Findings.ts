/** Collects a document's problems and notes while it is compared, so that all are reported together. */
import type { ValidationFailed } from "../../../schema/Errors.ts"
import type { WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"

const most = 50

const refusalsOf = ({ details = [], message }: ValidationFailed): ReadonlyArray<Refusal> =>
  details.length > 0
    ? details.map((one): Refusal => ({ path: one.path === "" ? null : one.path, message: one.message }))
    : [{ path: null, message }]

const keysOf = (section: ReadonlyArray<{ readonly key: string }> | undefined) => section && new Set(section.map(({ key }) => key))

/** The keys of a document by kind; undefined for a kind whose section is absent, which is left as it is. */
export const keysIn = (document: WorkspaceDocument) => ({
  monitor: keysOf(document.monitors),
  channel: keysOf(document.channels),
  page: keysOf(document.pages),
  schedule: keysOf(document.schedules),
  policy: keysOf(document.policies),
  template: keysOf(document.templates)
})

/** `pruned` are the ids of what the plan deletes. */
export const makeFindings = (document: WorkspaceDocument, { keys }: WorkspaceState, pruned: ReadonlySet<string>) => {
  const found: Array<Refusal> = []
  const noted: Array<string> = []
  const named = keysIn(document)
  const refuse = (at: string, refusals: ReadonlyArray<Refusal>): void => {
    for (const refusal of refusals) {
      if (found.length < most) found.push({ ...refusal, path: refusal.path === null ? at : `${at}.${refusal.path}` })
    }
  }
  const missing = (kind: keyof typeof named, key: string): string | null => {
    const id = keys[kind].idOf.get(key)
    return named[kind]?.has(key) === true || (id !== undefined && !pruned.has(id))
      ? null
      : id === undefined
      ? `No ${kind} with the key ${key} in the document or the workspace`
      : `The document does not list the ${kind} ${key}, so prune deletes it`
  }
  /** Refuses a key that names nothing of this kind, in the document or in what the workspace keeps. */
  const requireKey = (at: string, kind: keyof typeof named, key: string): void => {
    const message = missing(kind, key)
    if (message !== null) refuse(at, [{ path: null, message }])
  }
  return {
    refuse,
    /** The refusals of a use case, placed at an entry of the document. */
    refuseFailure: (at: string, failure: ValidationFailed) => refuse(at, refusalsOf(failure)),
    pruned,
    requireKey,
    requireKeys: (at: string, kind: keyof typeof named, wanted: ReadonlyArray<string>) =>
      wanted.forEach((key, index) => requireKey(`${at}.${index}`, kind, key)),
    failure: (): ValidationFailed | null => (found.length === 0 ? null : validationFailure(found)),
    /** Says what the document leaves as it is. */
    note: (text: string) => void noted.push(text),
    notes: (): ReadonlyArray<string> => noted
  }
}

export type Findings = ReturnType<typeof makeFindings>
