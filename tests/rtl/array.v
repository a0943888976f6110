// array - S x S processing elements with what brings rows, weights and swaps to them in time.
//
// In all modes element (r, c) works on a row r + c cycles after the row entered: activation r is
// held back r cycles on its way in, result column c is held back S-1-c cycles on its way out, and a
// row that enters in cycle t is whole at c_data in cycle t + 2S - 1.  A swap that enters in cycle t
// reaches element (r, c) in cycle t + r + c too; the rows it is for enter from t + 1 on.
//
// How a beat of W weight rows that enters in cycle t reaches the elements:
//   serial         all columns shift down by W rows in cycle t
//   shadow         the spare registers of column c shift down by W rows in cycle t + c
//   exposed, wave  the weights ride down column c, past element (r, c) in cycle t + r + c, in step
//                  with rows and swaps; the element they are for keeps them
// Beat k of a tile holds the weight rows from (BEATS-1-k)*W on: the last rows come first.
module array #(
    parameter S = 8,
    parameter R = 1,
    parameter W = 1,
    parameter MODE = 0,
    parameter BEATS = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              load,       // a beat of weights enters
    input  wire [      15:0] load_beat,  // which one of its tile
    input  wire [ W*S*8-1:0] w_data,
    input  wire              swap,
    input  wire [     R-1:0] a_valid,    // rows enter
    input  wire [     R-1:0] a_last,     // the last of its tile
    input  wire [ R*S*8-1:0] a_data,
    output wire [     R-1:0] c_valid,
    output wire [     R-1:0] c_last,
    output wire [R*S*32-1:0] c_data,
    output wire              empty,      // no element has a row to work on
    output wire              swapping    // a shift of the spare registers would spoil some
);
    localparam SERIAL = 0, SHADOW = 2;

    // what enters in cycle t is at index d of these in cycle t + d
    reg  [2*S-1:1] row_on;
    reg  [2*S-2:1] swap_on, load_on;
    wire [2*S-2:0] row_at, swap_at;
    // not every mode has a use for all of these
    // verilator lint_off UNUSEDSIGNAL
    wire [2*S-2:0] load_at;
    wire [   15:0] beat_at[0:2*S-2];
    wire [    7:0] spare[0:S-1][0:S-1];
    // verilator lint_on UNUSEDSIGNAL

    assign row_at  = {row_on[2*S-2:1], |a_valid};
    assign swap_at = {swap_on, swap};
    assign load_at = {load_on, load};
    always @(posedge clk) begin
        row_on  <= rst ? 0 : row_at;
        swap_on <= rst ? 0 : swap_at[2*S-3:0];
        load_on <= rst ? 0 : load_at[2*S-3:0];
    end
    assign empty = ~|row_on[2*S-2:1];
    assign swapping = |swap_on[S-2:1];  // of column 0; what is c later there comes c later too

    wire [R-1:0] c_tag;

    delay #(.N(2 * S - 1), .WIDTH(2 * R)) tags (
        .clk(clk), .in({a_last, a_valid}), .out({c_last, c_tag})
    );
    assign c_valid = c_tag & {R{row_on[2*S-1]}};

    wire [ R*8-1:0] a[0:S-1][0:S];
    wire [R*32-1:0] p[0:S][0:S-1];
    wire [ W*8-1:0] passing[0:S][0:S-1];  // weights on their way, at an element
    genvar r, c, l;

    generate
        assign beat_at[0] = load_beat;
        for (r = 1; r < 2 * S - 1; r = r + 1) begin : beat
            delay #(.N(1), .WIDTH(16)) hold (.clk(clk), .in(beat_at[r-1]), .out(beat_at[r]));
        end

        for (r = 0; r < S; r = r + 1) begin : activation
            wire [R*8-1:0] in;

            for (l = 0; l < R; l = l + 1) begin : lane
                assign in[l*8+:8] = a_data[(l*S+r)*8+:8];
            end
            delay #(.N(r), .WIDTH(R * 8)) skew (.clk(clk), .in(in), .out(a[r][0]));
        end

        for (c = 0; c < S; c = c + 1) begin : column
            wire [ W*8-1:0] in;
            wire [R*32-1:0] out;

            for (l = 0; l < W; l = l + 1) begin : weight
                assign in[l*8+:8] = w_data[(l*S+c)*8+:8];
            end
            delay #(.N(MODE == SERIAL ? 0 : c), .WIDTH(W * 8)) skew (
                .clk(clk), .in(in), .out(passing[0][c])
            );
            assign p[0][c] = 0;

            for (r = 0; r < S; r = r + 1) begin : element
                localparam integer BEAT = BEATS - 1 - r / W;  // brings this element's weight
                wire set;
                wire [7:0] w_in;

                if (MODE == SERIAL || MODE == SHADOW) begin : chain
                    assign set = MODE == SERIAL ? load : load_at[c];
                    assign w_in = r < W ? passing[0][c][(r%W)*8+:8] : spare[r<W?0 : r-W][c];
                end else begin : ride
                    assign set = load_at[r+c] && beat_at[r+c] == BEAT[15:0];
                    assign w_in = passing[r][c][(r%W)*8+:8];
                    delay #(.N(1), .WIDTH(W * 8)) pass (
                        .clk(clk), .in(passing[r][c]), .out(passing[r+1][c])
                    );
                end
                pe #(.R(R), .SPARE(MODE != SERIAL)) element (
                    .clk(clk), .set(set), .swap(swap_at[r+c]),
                    .w_in(w_in), .w_spare(spare[r][c]),
                    .a_in(a[r][c]), .a_out(a[r][c+1]),
                    .p_in(p[r][c]), .p_out(p[r+1][c])
                );
            end

            delay #(.N(S - 1 - c), .WIDTH(R * 32)) deskew (.clk(clk), .in(p[S][c]), .out(out));
            for (l = 0; l < R; l = l + 1) begin : result
                assign c_data[(l*S+c)*32+:32] = out[l*32+:32];
            end
        end
    endgenerate
endmodule
