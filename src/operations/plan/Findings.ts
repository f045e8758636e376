/** Collects a document's problems and notes while it is compared, so that all are reported together. */
import type { ValidationFailed } from "../../../schema/Errors.ts"
import type { DocumentKind, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"

/** Reported issues of one document. */
const most = 50

export interface Findings {
  readonly refuse: (at: string, refusals: ReadonlyArray<Refusal>) => void
  /** The refusals of a use case, placed at an entry of the document. */
  readonly refuseFailure: (at: string, failure: ValidationFailed) => void
  /** Refuses the keys that name nothing of this kind, in the document or the workspace. */
  readonly requireKeys: (at: string, kind: Exclude<DocumentKind, "component">, keys: ReadonlyArray<string>) => void
  readonly failure: () => ValidationFailed | null
  /** Says what the document leaves as it is. */
  readonly note: (text: string) => void
  readonly notes: () => ReadonlyArray<string>
}

const refusalsOf = ({ details = [], message }: ValidationFailed): ReadonlyArray<Refusal> =>
  details.length > 0
    ? details.map((one): Refusal => ({ path: one.path === "" ? null : one.path, message: one.message }))
    : [{ path: null, message }]

export const makeFindings = (document: WorkspaceDocument, { keys }: WorkspaceState): Findings => {
  const found: Array<Refusal> = []
  const noted: Array<string> = []
  const named = {
    monitor: new Set(document.monitors?.map(({ key }) => key)),
    channel: new Set(document.channels?.map(({ key }) => key)),
    page: new Set(document.pages?.map(({ key }) => key)),
    schedule: new Set(document.schedules?.map(({ key }) => key)),
    policy: new Set(document.policies?.map(({ key }) => key)),
    template: new Set(document.templates?.map(({ key }) => key))
  }
  const refuse: Findings["refuse"] = (at, refusals) => {
    for (const refusal of refusals) {
      if (found.length < most) found.push({ ...refusal, path: refusal.path === null ? at : `${at}.${refusal.path}` })
    }
  }
  return {
    refuse,
    refuseFailure: (at, failure) => refuse(at, refusalsOf(failure)),
    requireKeys: (at, kind, wanted) =>
      refuse(
        at,
        wanted.flatMap((key, index) =>
          named[kind].has(key) || keys[kind].idOf.has(key)
            ? []
            : [{ path: String(index), message: `No ${kind} with the key ${key} in the document or the workspace` }]
        )
      ),
    failure: () => (found.length === 0 ? null : validationFailure(found)),
    note: (text) => void noted.push(text),
    notes: () => noted
  }
}
