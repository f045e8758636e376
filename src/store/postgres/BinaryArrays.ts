/**
 * Arrays of texts as parameters in the binary format (PostgreSQL, `array_recv`): neither side escapes them, which costs more than
 * everything else that the driver does with a long text. The statement casts them: `${textArray(names)}::text[]`.
 */

const textType = 25
const headerBytes = 20
const nullLength = -1

const emptyArray = Buffer.alloc(12)
emptyArray.writeInt32BE(textType, 8)

/** The texts must be storable (`src/domain/tools/text/Storable.ts`). */
export const textArray = (texts: ReadonlyArray<string | null>): Buffer => {
  if (texts.length === 0) return emptyArray
  const lengths = texts.map((text) => (text === null ? nullLength : Buffer.byteLength(text)))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), headerBytes))
  // Dimensions, whether there are nulls, the type, and of the only dimension the length and the index of the first.
  const header = [1, lengths.includes(nullLength) ? 1 : 0, textType, texts.length, 1]
  let end = header.reduce((at, value) => bytes.writeInt32BE(value, at), 0)
  texts.forEach((text, index) => {
    end = bytes.writeInt32BE(lengths[index] ?? nullLength, end)
    if (text !== null) end += bytes.write(text, end, "utf8")
  })
  return bytes
}
