/** A column of numbers in few bytes: as whole numbers of the coarsest unit that loses nothing, else as they are. */
import type { ByteReader, ByteWriter } from "../../tools/Bytes.ts"

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

/** Writes the values; the reader must know how many there are. */
export const writeNumbers = (writer: ByteWriter, values: ReadonlyArray<number | null>): void => {
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

export const readNumbers = (reader: ByteReader, count: number): ReadonlyArray<number | null> => {
  const unit = units[reader.whole()]
  return Array.from({ length: count }, () => {
    const value = reader.whole()
    return value === 0 ? null : unit === undefined ? reader.float() : (value - 1) / unit
  })
}
