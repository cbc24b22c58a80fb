/** How much of the header is parsed, in characters; browsers send far less. */
const MAX_HEADER = 1000;

/** The language tags of an `Accept-Language` header, preferred first. */
export const acceptedLanguages = (header = ''): string[] =>
  header
    .slice(0, MAX_HEADER)
    .split(',')
    .map((item) => {
      const [code = '', ...parameters] = item.split(';');
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { code: code.trim(), weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ code }) => code);
