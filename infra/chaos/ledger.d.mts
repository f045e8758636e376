export interface Row {
  readonly promised: number
  readonly kept: number
  readonly lost: number
  readonly doubled: number
  readonly false: number
  readonly late: number
  readonly misdated: number
}
export type AlertType = "down" | "up"
export interface Ledger {
  readonly trouble: (from: number) => (to: number) => void
  readonly promise: (subject: string, type: AlertType, since: number, round: number) => void
  readonly arrived: (
    alert: {
      readonly id: string
      readonly subject: string
      readonly type: AlertType
      readonly at: number
      readonly checkAt: number
    },
    round: number
  ) => void
  readonly isSettled: () => boolean
  readonly giveUp: () => void
  readonly report: () => {
    readonly rows: ReadonlyArray<Row & { readonly round: number }>
    readonly total: Row
    readonly complaints: ReadonlyArray<{ readonly kind: string; readonly round: number; readonly text: string }>
    readonly repeated: number
    readonly slowestMs: number
  }
}
export const calmTime: (
  from: number,
  to: number,
  troubles: ReadonlyArray<Stretch>
) => number
interface Stretch {
  readonly from: number
  readonly to: number
}
export const silences: (
  times: ReadonlyArray<number>,
  unobserved: ReadonlyArray<Stretch>,
  mostMs: number
) => ReadonlyArray<Stretch>
export const faultsIn: (row: Row) => number
export const makeLedger: (
  bounds: { readonly boundMs: number; readonly toleranceMs: number; readonly tell?: (complaint: string) => void }
) => Ledger
