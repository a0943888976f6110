// pe - one processing element: R multiply-accumulates a cycle with the weight it holds.
//
// Activations come from the left and go on to the right, partial sums come from above and go on
// downwards, one register each.  `set` puts w_in into the spare register; `swap` makes the spare
// weight the one that multiplies from the next cycle on, and the spare register can be set anew in
// that very cycle.  With SPARE = 0 there is one register: what is set multiplies from the next
// cycle on.
module pe #(
    parameter R = 1,
    parameter SPARE = 1
) (
    input  wire            clk,
    input  wire            set,
    input  wire            swap,
    input  wire [     7:0] w_in,
    output reg  [     7:0] w_spare,
    input  wire [ R*8-1:0] a_in,
    output reg  [ R*8-1:0] a_out,
    input  wire [R*32-1:0] p_in,
    output reg  [R*32-1:0] p_out
);
    wire [7:0] w;
    integer l;

    generate
        if (SPARE == 0) begin : single
            wire unused = swap;

            assign w = w_spare;
        end else begin : double
            reg [7:0] w_active;

            always @(posedge clk) if (swap) w_active <= w_spare;
            assign w = w_active;
        end
    endgenerate

    always @(posedge clk) begin
        if (set) w_spare <= w_in;
        a_out <= a_in;
        for (l = 0; l < R; l = l + 1)
            p_out[l*32+:32] <= $signed(p_in[l*32+:32]) + $signed(a_in[l*8+:8]) * $signed(w);
    end
endmodule
