/** How large the headers of an answer may be unless the settings say otherwise, in bytes. */
export const defaultHeaderLimit = 262_144
