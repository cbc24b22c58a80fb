import '../compile-cache.ts';

// What is imported statically is compiled before the cache is there.
const { main } = await import('./program.ts');
process.exit(await main(process.argv));
